#include "kernels/bsr_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/parallel.hpp"

namespace nz {

// A counting sort. Each part of the grid lines counts its own block columns, so that it knows where
// its blocks go; they come out in the order of lines for any number of parts.
template <Offset O>
BlockColumns<O> columns_of(index_t grid_rows, index_t grid_cols, const O* offsets,
                           const index_t* columns) {
  const auto blocks = static_cast<std::size_t>(offsets[grid_rows]);
  const auto cols = static_cast<std::size_t>(grid_cols);
  // The counts of all parts together take no more than about one array of the blocks.
  const auto affordable = static_cast<std::int64_t>(std::min(blocks / (cols + 1), blocks >> 14));
  const int parts = static_cast<int>(std::clamp<std::int64_t>(affordable, 1, threads()));
  // The first line of one of the parts, which have about as many blocks each.
  const auto first_line = [&](int part) {
    if (part == parts) return grid_rows;
    const O target = static_cast<O>(static_cast<std::int64_t>(blocks) / parts * part);
    return static_cast<index_t>(std::lower_bound(offsets, offsets + grid_rows, target) - offsets);
  };

  BlockColumns<O> out{Array<O>(cols + 1), Array<O>(blocks), Array<index_t>(blocks)};
  Array<O> next(cols * static_cast<std::size_t>(parts));
  parallel_parts(parts, [&](int p) {
    if (cols == 0) return;
    O* count = next.data() + static_cast<std::size_t>(p) * cols;
    std::fill_n(count, cols, O{0});
    const O end = offsets[first_line(p + 1)];
    for (O k = offsets[first_line(p)]; k < end; ++k) ++count[columns[k]];
  });
  O sum = 0;
  for (std::size_t j = 0; j < cols; ++j) {
    out.starts[j] = sum;
    for (std::size_t at = j; at < next.size(); at += cols) sum += std::exchange(next[at], sum);
  }
  out.starts[cols] = sum;
  parallel_parts(parts, [&](int p) {
    if (cols == 0) return;
    O* to = next.data() + static_cast<std::size_t>(p) * cols;
    const index_t end = first_line(p + 1);
    for (index_t i = first_line(p); i < end; ++i)
      for (O k = offsets[i]; k < offsets[i + 1]; ++k) {
        const auto at = static_cast<std::size_t>(to[columns[k]]++);
        out.block[at] = k;
        out.row[at] = i;
      }
  });
  return out;
}

template BlockColumns<std::int32_t> columns_of(index_t, index_t, const std::int32_t*,
                                               const index_t*);
template BlockColumns<std::int64_t> columns_of(index_t, index_t, const std::int64_t*,
                                               const index_t*);

}  // namespace nz
