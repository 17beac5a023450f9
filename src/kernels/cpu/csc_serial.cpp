#include <nonzero/formats/csc.hpp>

#include "kernels/cpu/cpu_product.hpp"

namespace nz {
namespace {

struct CscSerial {
  template <Value T, Offset O>
  static Csc<T, O> convert(const CsrView<T, O>& a, const Parameters&) {
    return csc_from_csr(a);
  }

  // Columns scatter into y, so it is scaled first.
  template <Value T, Offset O>
  static void multiply(const CscView<T, O>& a, T alpha, const T* x, T beta, T* y) {
    cpu::scale(beta, std::span(y, static_cast<std::size_t>(a.rows)));
    for (index_t j = 0; j < a.cols; ++j) {
      const T factor = x[j];
      for (O k = a.offsets[j]; k < a.offsets[j + 1]; ++k)
        y[a.row[k]] += alpha * (a.values[k] * factor);
    }
  }

  template <Value T, Offset O>
  static void multiply_transposed(const CscView<T, O>& a, T alpha, const T* x, T* y) {
    for (index_t j = 0; j < a.cols; ++j) {
      T sum = 0;
      for (O k = a.offsets[j]; k < a.offsets[j + 1]; ++k) sum += a.values[k] * x[a.row[k]];
      y[j] += alpha * sum;
    }
  }
};

}  // namespace

Kernel cpu_csc_serial() {
  return {.family = "cpu",
          .format = "csc",
          .strategy = "serial",
          .transposes = true,
          .determinism = Determinism::always,
          .source = "own",
          .summary = "one thread, column by column",
          .prepare = cpu::prepare_all<CscSerial>()};
}

}  // namespace nz
