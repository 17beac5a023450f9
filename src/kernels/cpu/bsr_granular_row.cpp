#include "kernels/cpu/bsr_blocks.hpp"
#include "kernels/cpu/threaded_product.hpp"

namespace nz {
namespace {

// Listing 3: threads take one line of blocks at a time, after a pass over y.
struct BsrGranularRow {
  template <Value T, Offset O>
  static cpu::PassedBsr<T, O> convert(const CsrView<T, O>& a, const Parameters& p, int) {
    return cpu::to_passed_bsr(a, p);
  }

  template <Value T, Offset O>
  static void multiply(const cpu::PassedBsrView<T, O>& a, [[maybe_unused]] int threads, T alpha,
                       const T* x, T beta, T* y) {
    const index_t lines = a.grid_rows();
    const T left = a.first_pass ? T(1) : beta;
    NZ_OMP(parallel num_threads(threads)) {
      if (a.first_pass) cpu::scale_together(a.rows, beta, y);
      T sums[max_block_rows];
      NZ_OMP(for schedule(dynamic, 1))
      for (index_t line = 0; line < lines; ++line) {
        const index_t height = a.height(line);
        std::fill_n(sums, height, T(0));
        for (O k = a.offsets[line]; k < a.offsets[line + 1]; ++k)
          cpu::add_block<T, O>(a, height, k, x, sums);
        T* to = y + line * a.block_rows;
        for (index_t r = 0; r < height; ++r) cpu::store(to[r], alpha, sums[r], left);
      }
    }
  }
};

}  // namespace

Kernel cpu_bsr_granular_row() {
  return {.family = "cpu",
          .format = "bsr",
          .strategy = "granular-row",
          .determinism = Determinism::always,
          .threaded = true,
          .source = "chirila2025 §6.2.2 listing 3",
          .summary = "threads take one line of blocks at a time",
          .parameters = cpu::passed_bsr_parameters(),
          .prepare = cpu::prepare_threaded<BsrGranularRow>(),
          .with_fill = with_bsr_fill,
          .fit = fit_blocks};
}

}  // namespace nz
