#include "generate/scatter.hpp"

#include <algorithm>

namespace nz {

void sort_and_merge_columns(GeneratedMatrix& a) {
  const auto at = [](index_t i) { return static_cast<std::size_t>(i); };
  Array<std::int64_t> kept(at(a.rows), 0);
  for_rows(a, [&](index_t i, index_t* columns, double*, std::int64_t n) {
    std::sort(columns, columns + n);
    kept[at(i)] = std::unique(columns, columns + n) - columns;
  });
  GeneratedMatrix merged = with_lengths(a.rows, a.cols, [&](index_t i) { return kept[at(i)]; });
  if (merged.nnz() == a.nnz()) return;
  for_rows(merged, [&](index_t i, index_t* columns, double*, std::int64_t n) {
    std::copy_n(a.columns.data() + a.offsets[at(i)], n, columns);
  });
  a = std::move(merged);
}

}  // namespace nz
