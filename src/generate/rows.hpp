#pragma once
#include <algorithm>
#include <cstdint>

#include <nonzero/generate.hpp>

#include "base/parallel.hpp"
#include "generate/memory.hpp"

namespace nz {

// Cuts [0, rows) so that each part has about the same number of rows and entries together.
inline index_t balanced_cut(const Array<std::int64_t>& offsets, index_t rows, int part, int parts) {
  const std::int64_t work = (offsets[static_cast<std::size_t>(rows)] + rows) / parts * part;
  if (part == parts) return rows;
  index_t low = 0, high = rows;
  while (low < high) {
    const index_t middle = low + (high - low) / 2;
    if (offsets[static_cast<std::size_t>(middle)] + middle < work)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// An empty matrix with room for the entries that length(row) counts.
template <class Length>
GeneratedMatrix with_lengths(index_t rows, index_t cols, Length&& length) {
  require_memory("rows", rows, sizeof(std::int64_t));
  GeneratedMatrix a;
  a.rows = rows;
  a.cols = cols;
  a.offsets = Array<std::int64_t>(static_cast<std::size_t>(rows) + 1);
  a.offsets[0] = 0;
  parallel_ranges(
      rows,
      [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i)
          a.offsets[static_cast<std::size_t>(i) + 1] = static_cast<std::int64_t>(length(i));
      },
      256);
  for (index_t i = 0; i < rows; ++i)
    a.offsets[static_cast<std::size_t>(i) + 1] += a.offsets[static_cast<std::size_t>(i)];
  const auto nnz = static_cast<std::size_t>(a.nnz());
  require_memory("nonzeros", static_cast<double>(nnz), sizeof(index_t) + sizeof(double));
  a.columns = Array<index_t>(nnz);
  a.values = Array<double>(nnz);
  return a;
}

// body(row, columns, values, length) for every row, in parallel.
template <class Body>
void for_rows(GeneratedMatrix& a, Body&& body) {
  const int wanted = a.nnz() + a.rows < (1 << 14) ? 1 : threads();
  parallel(wanted, [&](int thread, int count) {
    const index_t end = balanced_cut(a.offsets, a.rows, thread + 1, count);
    for (index_t i = balanced_cut(a.offsets, a.rows, thread, count); i < end; ++i) {
      const std::int64_t first = a.offsets[static_cast<std::size_t>(i)];
      const std::int64_t n = a.offsets[static_cast<std::size_t>(i) + 1] - first;
      if (n > 0) body(i, a.columns.data() + first, a.values.data() + first, n);
    }
  });
}

// Count, prefix sum, fill: length(row) says how many entries fill(row, columns, values, length)
// writes, in increasing column order.
template <class Length, class Fill>
GeneratedMatrix from_rows(index_t rows, index_t cols, Length&& length, Fill&& fill) {
  GeneratedMatrix a = with_lengths(rows, cols, length);
  for_rows(a, fill);
  return a;
}

}  // namespace nz
