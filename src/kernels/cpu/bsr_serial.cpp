#include <span>

#include "kernels/cpu/bsr_blocks.hpp"
#include "kernels/cpu/cpu_product.hpp"

namespace nz {
namespace {

// Rows of a block that are summed together; a taller block takes several passes.
constexpr index_t rows_at_once = 16;

struct BsrSerial {
  template <Value T, Offset O>
  static cpu::PassedBsr<T, O> convert(const CsrView<T, O>& a, const Parameters& p) {
    return cpu::to_passed_bsr(a, p);
  }

  // A small dense product a block, sums kept aside until the line of blocks is done.
  template <Value T, Offset O>
  static void multiply(const cpu::PassedBsrView<T, O>& a, T alpha, const T* x, T beta, T* y) {
    if (a.first_pass) cpu::scale(beta, std::span(y, static_cast<std::size_t>(a.rows)));
    const T left = a.first_pass ? T(1) : beta;
    for (index_t line = 0; line < a.grid_rows(); ++line) {
      const index_t height = a.height(line);
      for (index_t top = 0; top < height; top += rows_at_once) {
        const index_t rows = std::min(rows_at_once, height - top);
        T sums[rows_at_once] = {};
        for (O k = a.offsets[line]; k < a.offsets[line + 1]; ++k) {
          const index_t width = a.width(a.columns[k]);
          const T* from = x + a.columns[k] * a.block_cols;
          const T* block = block_row(a, k, top);
          for (index_t r = 0; r < rows; ++r, block += a.block_cols)
            for (index_t c = 0; c < width; ++c) sums[r] += block[c] * from[c];
        }
        T* to = y + line * a.block_rows + top;
        for (index_t r = 0; r < rows; ++r) cpu::store(to[r], alpha, sums[r], left);
      }
    }
  }

  template <Value T, Offset O>
  static void multiply_transposed(const BsrView<T, O>& a, T alpha, const T* x, T* y) {
    for (index_t line = 0; line < a.grid_rows(); ++line) {
      const index_t height = a.height(line);
      const T* from = x + line * a.block_rows;
      for (O k = a.offsets[line]; k < a.offsets[line + 1]; ++k) {
        const index_t width = a.width(a.columns[k]);
        T* to = y + a.columns[k] * a.block_cols;
        const T* block = block_row(a, k, 0);
        for (index_t r = 0; r < height; ++r, block += a.block_cols) {
          const T factor = from[r];
          for (index_t c = 0; c < width; ++c) to[c] += alpha * (block[c] * factor);
        }
      }
    }
  }

 private:
  template <Value T, Offset O>
  static const T* block_row(const BsrView<T, O>& a, O block, index_t row) {
    return a.values + static_cast<std::size_t>(block) * a.block_size() +
           static_cast<std::size_t>(row) * static_cast<std::size_t>(a.block_cols);
  }
};

}  // namespace

Kernel cpu_bsr_serial() {
  return {.family = "cpu",
          .format = "bsr",
          .strategy = "serial",
          .transposes = true,
          .determinism = Determinism::always,
          .source = "chirila2025 §6.2.1 listing 2",
          .summary = "one thread, block by block",
          .parameters = cpu::passed_bsr_parameters(),
          .prepare = cpu::prepare_all<BsrSerial>(),
          .with_fill = with_bsr_fill,
          .fit = fit_blocks};
}

}  // namespace nz
