#pragma once
#include <atomic>
#include <cstdint>

#include <nonzero/generate.hpp>

#include "base/parallel.hpp"
#include "generate/rows.hpp"

namespace nz {

// Sorts each row's columns and drops the repeated ones.
void sort_and_merge_columns(GeneratedMatrix& a);

// A matrix from cells that come in no order of rows. cells(k, emit) calls emit(row, column) for
// item k of `items`, any number of times, the same at each call; a cell met twice is stored once.
// value(row, column) fills the entries. Threads race for places in a row, but sorting makes the
// result independent of who wins.
template <class Cells, class ValueOf>
GeneratedMatrix from_cells(index_t rows, index_t cols, std::int64_t items, Cells&& cells,
                           ValueOf&& value) {
  require_memory("rows", rows, 2 * sizeof(std::int64_t));
  require_memory("entries", static_cast<double>(items), sizeof(index_t));
  Array<std::int64_t> next(static_cast<std::size_t>(rows), 0);
  const auto add_one = [&](index_t row) {
    return std::atomic_ref(next[static_cast<std::size_t>(row)])
        .fetch_add(1, std::memory_order_relaxed);
  };
  const auto for_items = [&](auto&& emit) {
    parallel_ranges(items, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) cells(k, emit);
    });
  };
  for_items([&](index_t i, index_t) { add_one(i); });
  GeneratedMatrix a =
      with_lengths(rows, cols, [&](index_t i) { return next[static_cast<std::size_t>(i)]; });
  for (index_t i = 0; i < rows; ++i)
    next[static_cast<std::size_t>(i)] = a.offsets[static_cast<std::size_t>(i)];
  for_items([&](index_t i, index_t j) { a.columns[static_cast<std::size_t>(add_one(i))] = j; });
  sort_and_merge_columns(a);
  for_rows(a, [&](index_t i, index_t* columns, double* values, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k) values[k] = value(i, columns[k]);
  });
  return a;
}

}  // namespace nz
