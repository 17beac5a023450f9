#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <nonzero/formats/csr.hpp>

// Both homes of what runs one part of the GPU kernels (src/kernels/gpu/parts) by itself.
#define NZ_PARTS_THERE                                                                         \
  /* Sums of `each` neighbouring parts, a warp a part, after so many launches with the same    \
     counters; and the counters. */                                                            \
  template <class T>                                                                           \
  std::pair<std::vector<T>, std::vector<unsigned>> sums_that_meet(const std::vector<T>& parts, \
                                                                  int each, int launches);     \
  /* The same where every lane of a warp has a part: 32 sums for `each` warps. */              \
  template <class T>                                                                           \
  std::vector<T> lanes_that_meet(const std::vector<T>& parts, int each, int launches);         \
  /* The row of every entry, looked for between the first and the last. */                     \
  template <class O>                                                                           \
  std::vector<index_t> rows_of_entries(const std::vector<O>& offsets);                         \
  /* Where lines begin, and their items. */                                                    \
  std::pair<std::vector<int>, std::vector<index_t>> items_by_line(                             \
      const std::vector<index_t>& line, index_t lines);                                        \
  /* Of each 32: the least, the greatest, the place of the first that is not 0. */             \
  std::vector<index_t> warp_extremes(const std::vector<index_t>& of_lanes);                    \
  /* The first column that is at least each of `wanted`, for every guess. */                   \
  std::vector<int> first_columns(const std::vector<index_t>& columns,                          \
                                 const std::vector<index_t>& wanted, int guesses);             \
  /* A copy, four elements a thread. */                                                        \
  template <class V>                                                                           \
  std::vector<V> packed_copy(const std::vector<V>& from);                                      \
  /* Sums of a tile's rows by a block of so many threads; what no row got stays as it was. */  \
  template <class T>                                                                           \
  std::vector<T> tile_row_sums(const std::vector<T>& products, const std::vector<int>& starts, \
                               int elsewhere_bit, int threads, T untouched);                   \
  /* y of the rows that are longer than `most`, cut into pieces; others stay as they were. */  \
  template <class T>                                                                           \
  std::vector<T> long_row_sums(const CsrView<T, std::int32_t>& a, const std::vector<T>& x,     \
                               std::int64_t most, int piece, T untouched);
namespace nz::cuda {
NZ_PARTS_THERE
}
namespace nz::emulated {
NZ_PARTS_THERE
}
#undef NZ_PARTS_THERE
