#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <nonzero/export.hpp>

namespace NZ_API nz {

// Asks the system to back this memory by huge pages where it can: call before the first write.
// Never fails; does nothing for small arrays.
void prefer_huge_pages(void* data, std::size_t bytes);

// A fixed-size owning array whose elements start uninitialised: the threads that build a matrix
// write it once, instead of one thread zeroing it first. Aligned for the widest vector loads; large
// ones ask for huge pages, which spare most page faults and address look-ups.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  Array() = default;
  explicit Array(std::size_t n) : data_(allocate(n)), size_(n) {}
  Array(std::size_t n, T value) : Array(n) { std::fill_n(data_, n, value); }
  Array(std::initializer_list<T> values) : Array(values.size()) {
    std::copy(values.begin(), values.end(), data_);
  }
  explicit Array(std::span<const T> values) : Array(values.size()) {
    std::copy(values.begin(), values.end(), data_);
  }
  Array(const Array& other) : Array(std::span<const T>(other)) {}
  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Array() { ::operator delete(data_, alignment); }

  // Forgets all elements from n on; the memory stays.
  void truncate(std::size_t n) { size_ = std::min(n, size_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  friend bool operator==(const Array& a, const Array& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static T* allocate(std::size_t n) {
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    if (n == 0) return nullptr;
    void* p = ::operator new(n * sizeof(T), alignment);
    prefer_huge_pages(p, n * sizeof(T));
    return static_cast<T*>(p);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nz
