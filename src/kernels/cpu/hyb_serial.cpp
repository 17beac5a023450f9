#include <nonzero/formats/hyb.hpp>

#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/ell_strips.hpp"

namespace nz {
namespace {

struct HybSerial {
  template <Value T, Offset O>
  static Hyb<T> convert(const CsrView<T, O>& a, const Parameters& p) {
    return hyb_from_csr(a, {.relative_speed = static_cast<double>(p.at("relative_speed")),
                            .breakeven_rows = static_cast<index_t>(p.at("breakeven_rows"))});
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
      y[a.coo.column[k]] += a.coo.values[k] * (alpha * x[a.coo.row[k]]);
  }
};

}  // namespace

Kernel cpu_hyb_serial() {
  return {.device = "cpu",
          .format = "hyb",
          .strategy = "serial",
          .transposes = true,
          .deterministic = true,
          .source = "izawa2023 §2.4.3",
          .summary = "one thread, ELL strips, each with its COO entries",
          .parameters = {{"relative_speed", "ELL gets a slot a row that 1 in so many rows fill", 3,
                          1, 1000},
                         {"breakeven_rows", "and that at least so many rows fill", 4096, 0,
                          2'147'483'647}},
          .prepare = cpu::prepare_all<HybSerial>()};
}

}  // namespace nz
