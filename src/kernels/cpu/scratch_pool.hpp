#pragma once
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include <nonzero/array.hpp>

namespace nz::cpu {

// Scratch arrays of one length for a product that several threads may call at once. Each call
// borrows an array of its own: the one made with the product, or, while that is out, a further one,
// which is then kept for later calls.
template <class T>
class ScratchPool {
 public:
  ScratchPool() = default;
  explicit ScratchPool(std::size_t length) : length_(length) { give_back(make()); }

  // An array that belongs to one call; it comes uncleared.
  class Lease {
   public:
    Lease(ScratchPool& pool, Array<T> array) : pool_(pool), array_(std::move(array)) {}
    ~Lease() { pool_.give_back(std::move(array_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    T* data() { return array_.data(); }

   private:
    ScratchPool& pool_;
    Array<T> array_;
  };

  // Throws std::bad_alloc where a further array is needed and cannot be had.
  Lease borrow() {
    {
      const std::lock_guard lock(guard_);
      if (!spare_.empty()) {
        Array<T> array = std::move(spare_.back());
        spare_.pop_back();
        return {*this, std::move(array)};
      }
    }
    return {*this, make()};
  }

  // What all arrays take, lent or not.
  std::size_t bytes() const {
    const std::lock_guard lock(guard_);
    return made_ * length_ * sizeof(T);
  }

 private:
  // Room for its return is made first: giving back must not throw.
  Array<T> make() {
    Array<T> array(length_);
    const std::lock_guard lock(guard_);
    spare_.reserve(made_ + 1);
    ++made_;
    return array;
  }
  void give_back(Array<T> array) noexcept {
    const std::lock_guard lock(guard_);
    spare_.push_back(std::move(array));
  }

  std::size_t length_ = 0, made_ = 0;
  mutable std::mutex guard_;
  std::vector<Array<T>> spare_;
};

}  // namespace nz::cpu
