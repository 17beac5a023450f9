#include "generate/scatter.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace nz {
namespace {

// Sorts and drops repeats; returns how many are left. A long row among few columns is sorted
// through a bitmap.
std::int64_t sort_unique(index_t* columns, std::int64_t n, index_t cols,
                         std::vector<std::uint64_t>& bitmap) {
  if (n < cols / 32) {
    std::sort(columns, columns + n);
    return std::unique(columns, columns + n) - columns;
  }
  bitmap.assign(static_cast<std::size_t>(cols) / 64 + 1, 0);
  for (std::int64_t k = 0; k < n; ++k)
    bitmap[static_cast<std::size_t>(columns[k]) / 64] |= std::uint64_t{1} << columns[k] % 64;
  index_t* out = columns;
  for (std::size_t word = 0; word < bitmap.size(); ++word)
    for (std::uint64_t bits = bitmap[word]; bits != 0; bits &= bits - 1)
      *out++ = static_cast<index_t>(64 * word) + std::countr_zero(bits);
  return out - columns;
}

}  // namespace

void sort_and_merge_columns(GeneratedMatrix& a) {
  const auto at = [](index_t i) { return static_cast<std::size_t>(i); };
  Array<std::int64_t> kept(at(a.rows), 0);
  for_rows(a, [&](index_t i, index_t* columns, double*, std::int64_t n) {
    thread_local std::vector<std::uint64_t> bitmap;
    kept[at(i)] = sort_unique(columns, n, a.cols, bitmap);
  });
  if (std::accumulate(kept.begin(), kept.end(), std::int64_t{0}) == a.nnz()) return;
  GeneratedMatrix merged = with_lengths(a.rows, a.cols, [&](index_t i) { return kept[at(i)]; });
  for_rows(merged, [&](index_t i, index_t* columns, double*, std::int64_t n) {
    std::copy_n(a.columns.data() + a.offsets[at(i)], n, columns);
  });
  a = std::move(merged);
}

}  // namespace nz
