#include "kernels/cpu/cpu_product.hpp"

namespace nz {
namespace {

struct CsrSerial {
  template <Value T, Offset O>
  static CsrView<T, O> convert(const CsrView<T, O>& a, const Parameters&) {
    return a;
  }

  template <Value T, Offset O>
  static void multiply(const CsrView<T, O>& a, T alpha, const T* x, T beta, T* y) {
    for (index_t i = 0; i < a.rows; ++i) {
      T sum = 0;
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
      cpu::store(y[i], alpha, sum, beta);
    }
  }

  template <Value T, Offset O>
  static void multiply_transposed(const CsrView<T, O>& a, T alpha, const T* x, T* y) {
    for (index_t i = 0; i < a.rows; ++i) {
      const T factor = x[i];
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
        y[a.columns[k]] += alpha * (a.values[k] * factor);
    }
  }
};

}  // namespace

Kernel cpu_csr_serial() {
  return {.family = "cpu",
          .format = "csr",
          .strategy = "serial",
          .transposes = true,
          .determinism = Determinism::always,
          .source = "mazzucchi2025 table I",
          .summary = "one thread, row by row",
          .prepare = cpu::prepare_all<CsrSerial>()};
}

}  // namespace nz
