#include "kernels/cpu/cpu_product.hpp"

namespace nz {
namespace {

// The paper's loop as it is: y is set, and every entry reads and writes the row's element of it.
struct CsrScatter {
  template <Value T, Offset O>
  static CsrView<T, O> convert(const CsrView<T, O>& a, const Parameters&) {
    return a;
  }

  template <Value T, Offset O>
  static void multiply(const CsrView<T, O>& a, T alpha, const T* x, T beta, T* y) {
    cpu::scale(beta, std::span(y, static_cast<std::size_t>(a.rows)));
    for (index_t i = 0; i < a.rows; ++i)
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
        y[i] += alpha * (a.values[k] * x[a.columns[k]]);
  }

  template <Value T, Offset O>
  static void multiply_transposed(const CsrView<T, O>& a, T alpha, const T* x, T* y) {
    for (index_t i = 0; i < a.rows; ++i)
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
        y[a.columns[k]] += alpha * (a.values[k] * x[i]);
  }
};

}  // namespace

Kernel cpu_csr_scatter() {
  return {.family = "cpu",
          .format = "csr",
          .strategy = "scatter",
          .transposes = true,
          .determinism = Determinism::always,
          .source = "dinoia2025 algorithm 2",
          .summary = "one thread, row by row, every entry added to y by itself",
          .prepare = cpu::prepare_all<CsrScatter>()};
}

}  // namespace nz
