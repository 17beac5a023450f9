#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/gpu/gpu_product.hpp"
#include "simt/warp.hpp"

// Loops over a row or over rows: those of messa2025 §V, which the kernels of chirila2025 take too.

namespace nz::NZ_HOME {

// A row times x over its entries first, first + stride, ...; read-only loads, by four.
// Entries are counted unsigned: with 32-bit offsets k may pass 2^31 beyond the last row's end.
template <class T, class O>
NZ_DEVICE T row_sum(Thread& t, const CsrView<T, O>& a, const T* x, std::int64_t row, int first,
                    int stride) {
  using K = std::make_unsigned_t<O>;
  const auto by = static_cast<K>(stride);
  const auto end = static_cast<K>(t.load(a.offsets + row + 1));
  auto k = static_cast<K>(t.load(a.offsets + row)) + static_cast<K>(first);
  const auto term = [&](K at) {
    return t.load(a.values + at) * t.load(x + t.load(a.columns + at));
  };
  T sum = 0;
  NZ_ROLLED for (; k + 3 * by < end; k += 4 * by) {
    sum += term(k);
    sum += term(k + by);
    sum += term(k + 2 * by);
    sum += term(k + 3 * by);
  }
  NZ_ROLLED for (; k < end; k += by) sum += term(k);
  return sum;
}

// The same by a whole warp; the sum is in lane 0.
template <class T, class O>
NZ_DEVICE T warp_row_sum(Thread& t, const CsrView<T, O>& a, const T* x, std::int64_t row) {
  return reduce_to_first_lane(t, row_sum(t, a, x, row, t.lane(), 32));
}

// Kernels with a grid-stride loop have as many blocks as the device holds at a time, times this.
inline Parameter oversubscription_parameter() {
  return {"oversubscription", "blocks launched for each that the device holds at a time", 8, 1, 64};
}

// That many blocks, but no more than the work needs.
template <class K>
int stride_blocks(std::int64_t needed, int threads, std::size_t shared_bytes, const Parameters& p) {
  if (needed <= 0) return 0;
  const std::int64_t at_a_time = std::int64_t{simt::backend(current_device()).info().processors} *
                                 resident_blocks<K>(threads, shared_bytes);
  return static_cast<int>(
      std::min(needed, std::max<std::int64_t>(1, at_a_time * p.at("oversubscription"))));
}

}  // namespace nz::NZ_HOME
