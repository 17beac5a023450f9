#include <nonzero/formats/coo.hpp>

#include "kernels/cpu/cpu_product.hpp"

namespace nz {
namespace {

// The paper's loop as it is: every entry reads and writes its element of y.
struct CooScatter {
  template <Value T, Offset O>
  static Coo<T> convert(const CsrView<T, O>& a, const Parameters&) {
    return coo_from_csr(a);
  }

  template <Value T>
  static void multiply(const CooView<T>& a, T alpha, const T* x, T beta, T* y) {
    cpu::scale(beta, std::span(y, static_cast<std::size_t>(a.rows)));
    for (std::int64_t k = 0; k < a.nnz; ++k) y[a.row[k]] += alpha * (a.values[k] * x[a.column[k]]);
  }

  template <Value T>
  static void multiply_transposed(const CooView<T>& a, T alpha, const T* x, T* y) {
    for (std::int64_t k = 0; k < a.nnz; ++k) y[a.column[k]] += alpha * (a.values[k] * x[a.row[k]]);
  }
};

}  // namespace

Kernel cpu_coo_scatter() {
  return {.family = "cpu",
          .format = "coo",
          .strategy = "scatter",
          .transposes = true,
          .determinism = Determinism::always,
          .source = "dinoia2025 algorithm 1",
          .summary = "one thread, every entry added to y by itself",
          .prepare = cpu::prepare_all<CooScatter>()};
}

}  // namespace nz
