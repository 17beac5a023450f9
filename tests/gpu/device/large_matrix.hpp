#pragma once
#include <cstdint>

#include <nonzero/types.hpp>

namespace nz::test {

// A matrix that is never in host memory: every entry is a formula of its number. Rows have 63 and
// 65 entries in turn; values and vectors are small integers, so that sums are exact in any order.
struct LargeMatrix {
  index_t rows = 0;  // even
  index_t cols = 0;  // at least 65

  constexpr std::int64_t nnz() const { return std::int64_t{rows} * 64; }
  constexpr std::int64_t offset(std::int64_t row) const { return 64 * row - row % 2; }
  constexpr index_t row(std::int64_t entry) const {
    return static_cast<index_t>(entry / 128 * 2 + (entry % 128 >= 63));
  }
  // Increasing in a row: each entry has a stretch of columns of its own.
  constexpr index_t column(std::int64_t entry) const {
    const std::int64_t place = entry - offset(row(entry)), stretch = cols / 65;
    return static_cast<index_t>(
        place * stretch +
        static_cast<std::int64_t>(mix(entry) % static_cast<std::uint64_t>(stretch)));
  }
  constexpr int value(std::int64_t entry) const { return 1 + static_cast<int>(mix(~entry) % 3); }
  static constexpr int x(std::int64_t i) { return static_cast<int>(i % 7); }

 private:
  static constexpr std::uint64_t mix(std::int64_t n) {
    auto h = static_cast<std::uint64_t>(n) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
  }
};

}  // namespace nz::test

// Both homes of the kernels that write it, and that work out op(A) x from the formulas alone: one
// atomic add an entry, into `sums`, which start as zeros.
#define NZ_LARGE_MATRIX                                                                 \
  void write_large(const test::LargeMatrix& m, std::int64_t* offsets, index_t* columns, \
                   float* values);                                                      \
  void multiply_large(const test::LargeMatrix& m, Op op, int* sums);
namespace nz::cuda {
NZ_LARGE_MATRIX
}
namespace nz::emulated {
NZ_LARGE_MATRIX
}
#undef NZ_LARGE_MATRIX
