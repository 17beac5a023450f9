#include <nonzero/formats/bsr.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/complex.hpp"
#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/checks.hpp"
#include "formats/scan.hpp"

namespace nz {
namespace {

template <class T>
std::string text(T value) {
  if constexpr (ComplexValue<T>)
    return fmt::format("({}, {})", value.real(), value.imag());
  else
    return fmt::format("{}", value);
}

// body(begin, end) over lines of the grid; few tall ones are worth as many threads as many flat.
template <class T, class O, class Body>
void over_grid_rows(const BsrView<T, O>& a, Body&& body) {
  parallel_ranges(a.grid_rows(), body, (1 << 14) / a.block_rows + 1);
}

// The block columns that have an entry in one line of the grid, increasing.
template <class T, class O>
void find_blocks(const CsrView<T, O>& a, const BsrView<T, O>& grid, index_t line,
                 std::vector<index_t>& found) {
  found.clear();
  const index_t first = line * grid.block_rows, height = grid.height(line);
  for (index_t r = 0; r < height; ++r) {
    index_t before = -1;  // within a row they come in order, so repeats are next to each other
    for (O k = a.offsets[first + r]; k < a.offsets[first + r + 1]; ++k) {
      const index_t block = a.columns[k] / grid.block_cols;
      if (block != before) found.push_back(block);
      before = block;
    }
  }
  if (height > 1) {
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
}

// Visits the values of one line of the grid that are inside the matrix, row by row:
// body(row, column, value). `keep` says whether zeros are visited too.
template <class T, class O, class Body>
void for_each_value(const BsrView<T, O>& a, index_t line, Fill fill, Body&& body) {
  const index_t first = line * a.block_rows, height = a.height(line);
  for (index_t r = 0; r < height; ++r)
    for (O k = a.offsets[line]; k < a.offsets[line + 1]; ++k) {
      const index_t left = a.columns[k] * a.block_cols, width = a.width(a.columns[k]);
      const T* row = a.values + static_cast<std::size_t>(k) * a.block_size() +
                     static_cast<std::size_t>(r) * static_cast<std::size_t>(a.block_cols);
      for (index_t c = 0; c < width; ++c)
        if (fill == Fill::keep || row[c] != T(0)) body(first + r, left + c, row[c]);
    }
}

// Entries that one row of the grid's line would have.
template <class T, class O>
void count_line(const BsrView<T, O>& a, index_t line, Fill fill, std::int64_t* counts) {
  const index_t first = line * a.block_rows, height = a.height(line);
  std::fill_n(counts + first, height, std::int64_t{0});
  if (fill == Fill::drop) {
    for_each_value(a, line, fill, [&](index_t i, index_t, T) { ++counts[i]; });
    return;
  }
  std::int64_t inside = 0;
  for (O k = a.offsets[line]; k < a.offsets[line + 1]; ++k) inside += a.width(a.columns[k]);
  std::fill_n(counts + first, height, inside);
}

}  // namespace

template <Value T, Offset O>
void Bsr<T, O>::validate() const {
  check_shape("BSR", rows, cols);
  if (block_rows < 1 || block_cols < 1)
    throw BadInput(fmt::format("BSR: blocks of {} x {}", block_rows, block_cols));
  const BsrView<T, O> v = view();
  check_size("BSR", "offsets", offsets.size(), static_cast<std::size_t>(v.grid_rows()) + 1);
  if (values.size() / v.block_size() != columns.size() || values.size() % v.block_size() != 0)
    throw BadInput(fmt::format("BSR: values has {} elements, needs {} blocks of {} x {}",
                               values.size(), columns.size(), block_rows, block_cols));
  check_offsets("BSR", "block row", offsets.data(), v.grid_rows(),
                static_cast<std::int64_t>(columns.size()));
  check_columns("BSR", "block row", offsets.data(), columns.data(), v.grid_rows(), v.grid_cols());
  const std::int64_t found = check_each(v.grid_rows(), [&](index_t line) {
    std::int64_t nonzero = 0;
    for (O k = offsets[line]; k < offsets[line + 1]; ++k) {
      const T* block = values.data() + static_cast<std::size_t>(k) * v.block_size();
      for (index_t r = 0; r < block_rows; ++r)
        for (index_t c = 0; c < block_cols; ++c, ++block) {
          if (*block == T(0)) continue;
          if (r >= v.height(line) || c >= v.width(columns[k]))
            throw BadInput(
                fmt::format("BSR: block row {}, block {}: value {} at ({}, {}) is outside the "
                            "matrix (counting from 0)",
                            line, k, text(*block), r, c));
          ++nonzero;
        }
    }
    return nonzero;
  });
  check_entries("BSR", entries, found, static_cast<std::int64_t>(values.size()));
}

template <Value T, Offset O>
Bsr<T, O> bsr_from_csr(const CsrView<T, O>& a, index_t block_rows, index_t block_cols,
                       double max_ratio) {
  require_positive("BSR", "block_rows", block_rows);
  require_positive("BSR", "block_cols", block_cols);
  Bsr<T, O> b{a.rows, a.cols, block_rows, block_cols, a.nnz, {}, {}, {}};
  const BsrView<T, O> grid = b.view();

  Array<std::int64_t> starts(static_cast<std::size_t>(grid.grid_rows()) + 1);
  over_grid_rows(grid, [&](index_t begin, index_t end) {
    std::vector<index_t> blocks;
    for (index_t line = begin; line < end; ++line) {
      find_blocks(a, grid, line, blocks);
      starts[line] = static_cast<std::int64_t>(blocks.size());
    }
  });
  const std::int64_t blocks = scan_counts(starts);
  const std::size_t slots = require_block_ratio(blocks, block_rows, block_cols, a.nnz, max_ratio);

  b.offsets = Array<O>(starts.size());
  std::transform(starts.begin(), starts.end(), b.offsets.begin(),
                 [](std::int64_t n) { return static_cast<O>(n); });
  b.columns = Array<index_t>(static_cast<std::size_t>(blocks));
  b.values = Array<T>(slots);
  over_grid_rows(grid, [&](index_t begin, index_t end) {
    std::vector<index_t> found;
    for (index_t line = begin; line < end; ++line) {
      find_blocks(a, grid, line, found);
      if (found.empty()) continue;
      std::copy(found.begin(), found.end(), b.columns.data() + starts[line]);
      T* values = b.values.data() + static_cast<std::size_t>(starts[line]) * grid.block_size();
      std::fill_n(values, found.size() * grid.block_size(), T(0));
      const index_t first = line * block_rows, height = grid.height(line);
      for (index_t r = 0; r < height; ++r) {
        std::size_t at = 0;  // both lists increase: one walk along them finds every block
        for (O k = a.offsets[first + r]; k < a.offsets[first + r + 1]; ++k) {
          const index_t block = a.columns[k] / block_cols;
          while (found[at] < block) ++at;
          values[at * grid.block_size() +
                 static_cast<std::size_t>(r) * static_cast<std::size_t>(block_cols) +
                 static_cast<std::size_t>(a.columns[k] - block * block_cols)] = a.values[k];
        }
      }
    }
  });
  return b;
}

template <Value T, Offset O>
Csr<T, O> bsr_to_csr(const BsrView<T, O>& a, Fill fill) {
  Array<std::int64_t> next(static_cast<std::size_t>(a.rows) + 1);
  over_grid_rows(a, [&](index_t begin, index_t end) {
    for (index_t line = begin; line < end; ++line) count_line(a, line, fill, next.data());
  });
  Csr<T, O> b = csr_with_room<T, O>(a.rows, a.cols, next);
  over_grid_rows(a, [&](index_t begin, index_t end) {
    for (index_t line = begin; line < end; ++line)
      for_each_value(a, line, fill, [&](index_t i, index_t j, T v) {
        const std::int64_t to = next[i]++;
        b.columns[to] = j;
        b.values[to] = v;
      });
  });
  return b;
}

#define NZ_INSTANTIATE(T, O)                                                       \
  template struct Bsr<T, O>;                                                       \
  template Bsr<T, O> bsr_from_csr(const CsrView<T, O>&, index_t, index_t, double); \
  template Csr<T, O> bsr_to_csr(const BsrView<T, O>&, Fill);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE
#define NZ_INSTANTIATE(T, O) \
  template Bsr<T, O> bsr_from_csr(const CsrView<T, O>&, index_t, index_t, double);
NZ_FOR_EACH_KERNEL_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
