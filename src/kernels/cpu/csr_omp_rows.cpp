#include "kernels/cpu/omp.hpp"
#include "kernels/cpu/threaded_product.hpp"

namespace nz {
namespace {

// The serial loop under one directive; the schedule is the runtime's own, as in the paper.
struct CsrOmpRows {
  template <Value T, Offset O>
  static CsrView<T, O> convert(const CsrView<T, O>& a, const Parameters&, int) {
    return a;
  }

  template <Value T, Offset O>
  static void multiply(const CsrView<T, O>& a, [[maybe_unused]] int threads, T alpha, const T* x,
                       T beta, T* y) {
    NZ_OMP(parallel for num_threads(threads))
    for (index_t i = 0; i < a.rows; ++i) {
      T sum = 0;
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
      cpu::store(y[i], alpha, sum, beta);
    }
  }
};

}  // namespace

Kernel cpu_csr_omp_rows() {
  return {.family = "cpu",
          .format = "csr",
          .strategy = "omp-rows",
          .determinism = Determinism::always,
          .threaded = true,
          .source = "mazzucchi2025 §II-B",
          .summary = "equal runs of rows, whatever their length",
          .prepare = cpu::prepare_threaded<CsrOmpRows>()};
}

}  // namespace nz
