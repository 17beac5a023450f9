#include "kernels/cpu/cpu_product.hpp"
#include "kernels/padded_parameters.hpp"

namespace nz {
namespace {

// Lanes of a slice that are summed together.
constexpr index_t lanes_at_once = 64;

// body(first slot, stride, width, permutation of the lanes, lanes) over slices, in pieces of at
// most lanes_at_once lanes.
template <class T, class O, class Body>
void for_each_piece(const SellView<T, O>& a, Body&& body) {
  for (index_t q = 0; q < a.slices(); ++q) {
    const index_t lanes = a.lanes(q), width = a.width(q);
    for (index_t l = 0; l < lanes; l += lanes_at_once)
      body(static_cast<std::size_t>(a.offsets[q]) + static_cast<std::size_t>(l),
           static_cast<std::size_t>(lanes), width, a.permutation + q * a.chunk + l,
           std::min(lanes_at_once, lanes - l));
  }
}

struct SellSerial {
  template <Value T, Offset O>
  static Sell<T, O> convert(const CsrView<T, O>& a, const Parameters& p) {
    return to_sell(a, p);
  }

  template <Value T, Offset O>
  static void multiply(const SellView<T, O>& a, T alpha, const T* x, T beta, T* y) {
    for_each_piece(a, [&](std::size_t slot, std::size_t stride, index_t width, const index_t* row,
                          index_t lanes) {
      T sums[lanes_at_once] = {};
      for (index_t s = 0; s < width; ++s, slot += stride)
        for (index_t l = 0; l < lanes; ++l) {
          const index_t j = a.columns[slot + static_cast<std::size_t>(l)];
          if (j >= 0) sums[l] += a.values[slot + static_cast<std::size_t>(l)] * x[j];
        }
      for (index_t l = 0; l < lanes; ++l) cpu::store(y[row[l]], alpha, sums[l], beta);
    });
  }

  template <Value T, Offset O>
  static void multiply_transposed(const SellView<T, O>& a, T alpha, const T* x, T* y) {
    for_each_piece(a, [&](std::size_t slot, std::size_t stride, index_t width, const index_t* row,
                          index_t lanes) {
      T factors[lanes_at_once];
      for (index_t l = 0; l < lanes; ++l) factors[l] = x[row[l]];
      for (index_t s = 0; s < width; ++s, slot += stride)
        for (index_t l = 0; l < lanes; ++l) {
          const index_t j = a.columns[slot + static_cast<std::size_t>(l)];
          if (j >= 0) y[j] += alpha * (a.values[slot + static_cast<std::size_t>(l)] * factors[l]);
        }
    });
  }
};

}  // namespace

Kernel cpu_sell_serial() {
  return {.family = "cpu",
          .format = "sell",
          .strategy = "serial",
          .transposes = true,
          .determinism = Determinism::always,
          .source = "own",
          .summary = "one thread, slice by slice, lanes side by side",
          .parameters = sell_parameters(),
          .prepare = cpu::prepare_all<SellSerial>()};
}

}  // namespace nz
