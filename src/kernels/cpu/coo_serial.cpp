#include <nonzero/formats/coo.hpp>

#include "kernels/cpu/cpu_product.hpp"

namespace nz {
namespace {

struct CooSerial {
  template <Value T, Offset O>
  static Coo<T> convert(const CsrView<T, O>& a, const Parameters&) {
    return coo_from_csr(a);
  }

  // Rows come in order: a row's sum stays in a register until the row changes.
  template <Value T>
  static void multiply(const CooView<T>& a, FactorOf<T> alpha, VectorOf<T> x, T beta, T* y) {
    std::int64_t k = 0;
    for (index_t i = 0; i < a.rows; ++i) {
      T sum = 0;
      for (; k < a.nnz && a.row[k] == i; ++k) sum += a.values[k] * x[a.column[k]];
      cpu::store(y[i], alpha, sum, beta);
    }
  }

  template <Value T>
  static void multiply_transposed(const CooView<T>& a, FactorOf<T> alpha, VectorOf<T> x, T* y) {
    for (std::int64_t k = 0; k < a.nnz; ++k) y[a.column[k]] += alpha * (a.values[k] * x[a.row[k]]);
  }
};

}  // namespace

Kernel cpu_coo_serial() {
  return {.family = "cpu",
          .format = "coo",
          .strategy = "serial",
          .transposes = true,
          .determinism = Determinism::always,
          .source = "own",
          .summary = "one thread, a row's sum kept aside until the row changes",
          .prepare = cpu::prepare_all_and_complex<CooSerial>()};
}

}  // namespace nz
