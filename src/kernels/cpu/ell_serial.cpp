#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/ell_strips.hpp"
#include "kernels/padded_parameters.hpp"

namespace nz {
namespace {

struct EllSerial {
  template <Value T, Offset O>
  static Ell<T> convert(const CsrView<T, O>& a, const Parameters& p) {
    return to_ell(a, p);
  }

  template <Value T>
  static void multiply(const EllView<T>& a, T alpha, const T* x, T beta, T* y) {
    cpu::for_each_strip(a.rows, [&](index_t begin, index_t end) {
      T sums[cpu::strip_rows] = {};
      cpu::add_ell_strip(a, begin, end, x, sums);
      for (index_t i = begin; i < end; ++i) cpu::store(y[i], alpha, sums[i - begin], beta);
    });
  }

  template <Value T>
  static void multiply_transposed(const EllView<T>& a, T alpha, const T* x, T* y) {
    cpu::add_ell_transposed(a, alpha, x, y);
  }
};

}  // namespace

Kernel cpu_ell_serial() {
  return {.family = "cpu",
          .format = "ell",
          .strategy = "serial",
          .transposes = true,
          .determinism = Determinism::always,
          .source = "izawa2023 §2.2.3",
          .summary = "one thread, strips of rows slot by slot",
          .parameters = ell_parameters(),
          .prepare = cpu::prepare_all<EllSerial>()};
}

}  // namespace nz
