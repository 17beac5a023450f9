#pragma once
#include <sys/mman.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/wide.hpp>

#include "plan/wide_parts.hpp"
#include "support/seed.hpp"

// Wide matrices for tests, small enough to be ordinary ones as well.
namespace nz::test {

// A wide matrix, and the same as an ordinary one.
template <Value T>
struct Both {
  WideCoo<T> wide;
  Csr<T, std::int32_t> plain;
};

// Entries in clusters, some far from all others, some twice, and where asked in the corners.
template <Value T>
Both<T> drawn(std::mt19937_64& random, std::int64_t rows, std::int64_t cols, int entries,
              bool corners = false) {
  std::vector<std::int64_t> r, c;
  std::vector<T> v;
  const auto below = [&](std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
  };
  const std::int64_t r0 = below(rows), c0 = below(cols);
  std::uniform_real_distribution<T> number(-1, 1);
  for (int k = 0; k < entries; ++k) {
    const bool near = k % 3 != 0;
    r.push_back(near ? (r0 + below(40)) % rows : below(rows));
    c.push_back(near ? (c0 + below(40)) % cols : below(cols));
    v.push_back(number(random));
    if (k % 7 == 0) r.push_back(r.back()), c.push_back(c.back()), v.push_back(number(random));
  }
  if (corners)
    for (const std::int64_t i : {std::int64_t{0}, rows - 1})
      for (const std::int64_t j : {std::int64_t{0}, cols - 1})
        r.push_back(i), c.push_back(j), v.push_back(number(random));
  Both<T> both{
      {rows, cols, Array<std::int64_t>(std::span<const std::int64_t>(r)),
       Array<std::int64_t>(std::span<const std::int64_t>(c)), Array<T>(std::span<const T>(v))},
      {}};
  both.plain = csr_from_triplets<T, std::int32_t>(
      static_cast<index_t>(rows), static_cast<index_t>(cols),
      std::vector<index_t>(r.begin(), r.end()), std::vector<index_t>(c.begin(), c.end()), v);
  return both;
}

template <Value T>
std::vector<T> numbers(std::mt19937_64& random, std::int64_t n) {
  std::uniform_real_distribution<T> number(-1, 1);
  std::vector<T> all(static_cast<std::size_t>(n));
  for (T& v : all) v = number(random);
  return all;
}

// Memory of the system's that is only there where it is touched.
template <Value T>
class Mapped {
 public:
  explicit Mapped(std::int64_t n) : bytes_(static_cast<std::size_t>(n) * sizeof(T)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Mapped() {
    if (*this) munmap(memory_, bytes_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  explicit operator bool() const { return memory_ != MAP_FAILED; }
  std::span<T> all() const { return {static_cast<T*>(memory_), bytes_ / sizeof(T)}; }
  T& operator[](std::int64_t i) const { return static_cast<T*>(memory_)[i]; }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace nz::test
