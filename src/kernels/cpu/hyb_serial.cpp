#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/ell_strips.hpp"
#include "kernels/padded_parameters.hpp"

namespace nz {
namespace {

struct HybSerial {
  template <Value T, Offset O>
  static Hyb<T> convert(const CsrView<T, O>& a, const Parameters& p) {
    return to_hyb(a, p);
  }

  // Both parts are in row order: each strip takes its COO entries along, so y is stored once.
  template <Value T>
  static void multiply(const HybView<T>& a, T alpha, const T* x, T beta, T* y) {
    std::int64_t k = 0;
    cpu::for_each_strip(a.rows, [&](index_t begin, index_t end) {
      T sums[cpu::strip_rows] = {};
      cpu::add_ell_strip(a.ell, begin, end, x, sums);
      for (; k < a.coo.nnz && a.coo.row[k] < end; ++k)
        sums[a.coo.row[k] - begin] += a.coo.values[k] * x[a.coo.column[k]];
      for (index_t i = begin; i < end; ++i) cpu::store(y[i], alpha, sums[i - begin], beta);
    });
  }

  template <Value T>
  static void multiply_transposed(const HybView<T>& a, T alpha, const T* x, T* y) {
    cpu::add_ell_transposed(a.ell, alpha, x, y);
    for (std::int64_t k = 0; k < a.coo.nnz; ++k)
      y[a.coo.column[k]] += alpha * (a.coo.values[k] * x[a.coo.row[k]]);
  }
};

}  // namespace

Kernel cpu_hyb_serial() {
  return {.family = "cpu",
          .format = "hyb",
          .strategy = "serial",
          .transposes = true,
          .determinism = Determinism::always,
          .source = "izawa2023 §2.4.3",
          .summary = "one thread, ELL strips, each with its COO entries",
          .parameters = hyb_parameters(),
          .prepare = cpu::prepare_all<HybSerial>()};
}

}  // namespace nz
