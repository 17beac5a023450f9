#include <nonzero/formats/dia.hpp>

#include "kernels/cpu/cpu_product.hpp"

namespace nz {
namespace {

// Rows summed together, so that y is stored once and not read again for every diagonal.
constexpr index_t rows_at_once = 512;

template <Value T, Offset O>
Dia<T> to_dia(const CsrView<T, O>& a, const Parameters& p) {
  return dia_from_csr(a, static_cast<double>(p.at("max_ratio")));
}

struct DiaSerial {
  template <Value T, Offset O>
  static Dia<T> convert(const CsrView<T, O>& a, const Parameters& p) {
    return to_dia(a, p);
  }

  template <Value T>
  static void multiply(const DiaView<T>& a, T alpha, const T* x, T beta, T* y) {
    for (index_t first = 0; first < a.rows;) {
      const index_t last = a.rows - first > rows_at_once ? first + rows_at_once : a.rows;
      T sums[rows_at_once] = {};
      for (index_t d = 0; d < a.diagonals; ++d) {
        const T* values = diagonal(a, d);
        const index_t begin = std::max(first, a.first_row(d)), offset = a.offsets[d];
        const index_t end = std::min(last, a.last_row(d));
        for (index_t i = begin; i < end; ++i) sums[i - first] += values[i] * x[i + offset];
      }
      for (index_t i = first; i < last; ++i) cpu::store(y[i], alpha, sums[i - first], beta);
      first = last;
    }
  }

  template <Value T>
  static void multiply_transposed(const DiaView<T>& a, T alpha, const T* x, T* y) {
    for (index_t d = 0; d < a.diagonals; ++d) {
      const T* values = diagonal(a, d);
      const index_t end = a.last_row(d), offset = a.offsets[d];
      for (index_t i = a.first_row(d); i < end; ++i) y[i + offset] += alpha * (values[i] * x[i]);
    }
  }

 private:
  template <Value T>
  static const T* diagonal(const DiaView<T>& a, index_t d) {
    return a.values + static_cast<std::size_t>(d) * static_cast<std::size_t>(a.rows);
  }
};

}  // namespace

Kernel cpu_dia_serial() {
  return {.family = "cpu",
          .format = "dia",
          .strategy = "serial",
          .transposes = true,
          .determinism = Determinism::always,
          .source = "own",
          .summary = "one thread, strips of rows diagonal by diagonal",
          .parameters = {{"max_ratio", "most stored values a nonzero", 3, 1, 1'000'000'000}},
          .prepare = cpu::prepare_all<DiaSerial>(),
          .with_fill = [](const CsrView<double, std::int64_t>& a, const Parameters& p) {
            return dia_to_csr<std::int64_t>(to_dia(a, p).view(), Fill::keep);
          }};
}

}  // namespace nz
