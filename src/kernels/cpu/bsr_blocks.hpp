#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nonzero/formats/bsr.hpp>
#include <nonzero/kernel.hpp>

#include "kernels/bsr_parameters.hpp"
#include "kernels/cpu/omp.hpp"

// What the BSR strategies of chirila2025 §6.2 share.
namespace nz::cpu {

inline std::vector<Parameter> chunked_bsr_parameters() {
  std::vector<Parameter> all = bsr_parameters();
  all.push_back(
      {"chunks_per_thread", "pieces that the blocks are cut into, a thread", 8, 1, 65536});
  return all;
}

// BSR, and into how many pieces its blocks are to be cut.
template <Value T, Offset O>
struct ChunkedBsrView : BsrView<T, O> {
  std::int64_t chunks = 1;

  // The most blocks of a piece.
  std::int64_t chunk_size() const { return std::max<std::int64_t>(1, this->blocks / chunks); }
};

template <Value T, Offset O>
struct ChunkedBsr {
  Bsr<T, O> matrix;
  std::int64_t chunks = 1;

  std::size_t bytes() const { return matrix.bytes(); }
  ChunkedBsrView<T, O> view() const { return {matrix.view(), chunks}; }
};

template <Value T, Offset O>
ChunkedBsr<T, O> to_chunked_bsr(const CsrView<T, O>& a, const Parameters& p, int threads) {
  return {to_bsr(a, p), threads * p.at("chunks_per_thread")};
}

// BSR, and whether y is scaled in a pass before, as listings 2 and 3 have it. No two threads share
// a row of y there, so that beta can as well be applied where a row's sum is stored.
template <Value T, Offset O>
struct PassedBsrView : BsrView<T, O> {
  bool first_pass = true;
};

template <Value T, Offset O>
struct PassedBsr {
  Bsr<T, O> matrix;
  bool first_pass = true;

  std::size_t bytes() const { return matrix.bytes(); }
  PassedBsrView<T, O> view() const { return {matrix.view(), first_pass}; }
};

template <Value T, Offset O>
PassedBsr<T, O> to_passed_bsr(const CsrView<T, O>& a, const Parameters& p) {
  return {to_bsr(a, p), p.at("first_pass") != 0};
}

inline std::vector<Parameter> passed_bsr_parameters() {
  std::vector<Parameter> all = bsr_parameters();
  all.push_back(
      {"first_pass", "1: y is scaled in a pass before, as printed; 0: with the sums", 1, 0, 1});
  return all;
}

// y = beta y by all threads of the parallel region around it, which wait for each other at its end.
template <class T>
void scale_together(index_t rows, T beta, T* y) {
  if (beta == T(1)) return;
  NZ_OMP(for schedule(static))
  for (index_t i = 0; i < rows; ++i) y[i] = beta == T(0) ? T(0) : beta * y[i];
}

// sums += block times x (listing 1), for the rows and columns that are inside the matrix.
template <Value T, Offset O>
void add_block(const BsrView<T, O>& a, index_t height, O block, const T* x, T* sums) {
  const T* values = a.values + static_cast<std::size_t>(block) * a.block_size();
  const T* from = x + a.columns[block] * a.block_cols;
  const index_t width = a.width(a.columns[block]);
  for (index_t r = 0; r < height; ++r, values += a.block_cols)
    for (index_t c = 0; c < width; ++c) sums[r] += values[c] * from[c];
}

// y += alpha sums for one line of the grid, which other threads may be adding to.
template <Value T, Offset O>
void add_sums(const BsrView<T, O>& a, index_t line, T alpha, const T* sums, T* y) {
  T* to = y + line * a.block_rows;
  for (index_t r = 0; r < a.height(line); ++r) {
    const T part = alpha * sums[r];
    NZ_OMP(atomic)
    to[r] += part;
  }
}

// Blocks start to stop of one line of the grid (listing 8).
template <Value T, Offset O>
void one_row_of_blocks(const BsrView<T, O>& a, index_t line, O start, O stop, T alpha, const T* x,
                       T* y) {
  if (start >= stop) return;
  T sums[max_block_rows];
  const index_t height = a.height(line);
  std::fill_n(sums, height, T(0));
  for (O k = start; k < stop; ++k) add_block(a, height, k, x, sums);
  add_sums(a, line, alpha, sums, y);
}

// The piece from `start` in first_line to `stop` in last_line, line by line: the task of listings 7
// and 9. row(line, start, stop) does the part that lies in one line; positions are `size` a block.
template <class O, class Row>
void for_each_row_of(const O* offsets, index_t first_line, index_t last_line, std::int64_t start,
                     std::int64_t stop, std::int64_t size, Row&& row) {
  if (first_line == last_line) {
    row(first_line, start, stop);
    return;
  }
  row(first_line, start, offsets[first_line + 1] * size);
  for (index_t i = first_line + 1; i < last_line; ++i)
    row(i, offsets[i] * size, offsets[i + 1] * size);
  row(last_line, offsets[last_line] * size, stop);
}

}  // namespace nz::cpu
