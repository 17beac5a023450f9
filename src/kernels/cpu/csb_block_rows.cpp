#include <algorithm>
#include <span>

#include <nonzero/formats/csb.hpp>

#include "kernels/cpu/omp.hpp"
#include "kernels/cpu/threaded_product.hpp"

namespace nz {
namespace {

// The piece of y that belongs to one line or column of the grid, scaled by beta.
template <class T>
T* scaled_piece(T* y, index_t n, index_t line, index_t block, T beta) {
  T* const piece = y + static_cast<std::ptrdiff_t>(line) * block;
  const index_t left = n - line * block;
  cpu::scale(beta, std::span(piece, static_cast<std::size_t>(std::min(left, block))));
  return piece;
}

// y belongs to lines of the grid for A, to its columns for the transpose: no two threads share a
// piece of it, and the two products differ in nothing but the roles of row and column.
struct CsbBlockRows {
  template <Value T, Offset O>
  static Csb<T, O> convert(const CsrView<T, O>& a, const Parameters& p, int) {
    return csb_from_csr(a, static_cast<int>(p.at("block_bits")),
                        static_cast<double>(p.at("max_ratio")));
  }

  template <Value T, Offset O>
  static void multiply(const CsbView<T, O>& a, [[maybe_unused]] int threads, T alpha, const T* x,
                       T beta, T* y) {
    const index_t lines = a.grid_rows();
    NZ_OMP(parallel for num_threads(threads) schedule(dynamic, 1))
    for (index_t i = 0; i < lines; ++i) {
      T* const to = scaled_piece(y, a.rows, i, a.block(), beta);
      for (index_t j = 0; j < a.grid_cols(); ++j) {
        const T* const from = x + (j << a.block_bits);
        const O* const at = a.block_offset(i, j);
        for (O k = at[0]; k < at[1]; ++k)
          to[csb_row(a.places[k])] += alpha * (a.values[k] * from[csb_column(a.places[k])]);
      }
    }
  }

  template <Value T, Offset O>
  static void multiply_transposed(const CsbView<T, O>& a, [[maybe_unused]] int threads, T alpha,
                                  const T* x, T beta, T* y) {
    const index_t columns = a.grid_cols();
    NZ_OMP(parallel for num_threads(threads) schedule(dynamic, 1))
    for (index_t j = 0; j < columns; ++j) {
      T* const to = scaled_piece(y, a.cols, j, a.block(), beta);
      for (index_t i = 0; i < a.grid_rows(); ++i) {
        const T* const from = x + (i << a.block_bits);
        const O* const at = a.block_offset(i, j);
        for (O k = at[0]; k < at[1]; ++k)
          to[csb_column(a.places[k])] += alpha * (a.values[k] * from[csb_row(a.places[k])]);
      }
    }
  }
};

}  // namespace

Kernel cpu_csb_block_rows() {
  return {
      .family = "cpu",
      .format = "csb",
      .strategy = "block-rows",
      .transposes = true,
      .determinism = Determinism::always,
      .threaded = true,
      .source = "izawa2023 §2.2.4",
      .summary = "threads take lines of blocks, columns of blocks for the transpose",
      .parameters = {{"block_bits", "log2 of a block's side, 0: by the matrix's size", 0, 0,
                      csb_max_block_bits},
                     {"max_ratio", "most blocks a nonzero, row and column", 3, 1, 1'000'000'000}},
      .prepare = cpu::prepare_threaded<CsbBlockRows>(),
      .brings_x_near = true};
}

}  // namespace nz
