#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/printed_form.hpp"
#include "simt/warp.hpp"

// Loops over a row and over rows of messa2025 §V, as its program has them.

namespace nz::NZ_HOME {

// How the entries of a row are gone through.
enum class Loop {
  by_four,     // algorithm 1: by four and then one by one; the compiler may unroll both further
  unrolled_4,  // algorithm 2: one by one, which the compiler is told to unroll by four
  unrolled,    // algorithm 3: one by one, which the compiler is told to unroll
  plain,       // algorithm 4: one by one, unrolled as the compiler likes
  rolled       // ours: by four and then one by one, and nothing more
};

// By four, kept rolled. Entries are counted without a sign.
template <class K, class T, class O>
NZ_DEVICE T rolled_row_sum(Thread& t, const CsrView<T, O>& a, const T* x, K row, int first,
                           int stride) {
  using U = std::make_unsigned_t<K>;
  const auto by = static_cast<U>(stride);
  const auto end = static_cast<U>(t.load(a.offsets + row + 1));
  auto k = static_cast<U>(t.load(a.offsets + row)) + static_cast<U>(first);
  const auto term = [&](U at) {
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

// A row times x over its entries first, first + stride, ..., through the read-only cache. Counted
// as K, which has a sign, so that the compiler knows how often it goes round.
template <Loop loop, class K, class T, class O>
NZ_DEVICE T row_sum(Thread& t, const CsrView<T, O>& a, const T* x, K row, int first, int stride) {
  if constexpr (loop == Loop::rolled) {
    return rolled_row_sum<K>(t, a, x, row, first, stride);
  } else {
    const auto end = static_cast<K>(t.load(a.offsets + row + 1));
    auto k = static_cast<K>(static_cast<K>(t.load(a.offsets + row)) + K{first});
    const auto term = [&](K at) {
      return t.load(a.values + at) * t.load(x + t.load(a.columns + at));
    };
    T sum = 0;
    if constexpr (loop == Loop::by_four) {
      for (; k + 3 * stride < end; k += 4 * stride) {
        sum += term(k);
        sum += term(k + stride);
        sum += term(k + 2 * stride);
        sum += term(k + 3 * stride);
      }
      for (; k < end; k += stride) sum += term(k);
    } else if constexpr (loop == Loop::unrolled_4) {
      NZ_UNROLL_BY(4)
      for (; k < end; k += stride) sum += term(k);
    } else if constexpr (loop == Loop::unrolled) {
      NZ_UNROLL
      for (; k < end; k += stride) sum += term(k);
    } else {
      for (; k < end; k += stride) sum += term(k);
    }
    return sum;
  }
}

// The same by a whole warp; the sum is in lane 0.
template <Loop loop, class K, class T, class O>
NZ_DEVICE T warp_row_sum(Thread& t, const CsrView<T, O>& a, const T* x, K row) {
  return reduce_to_first_lane(t, row_sum<loop, K>(t, a, x, row, t.lane(), 32));
}

// Deliverable 1: one by one, and of its loads only that of x is through the read-only cache.
template <class K, class T, class O>
NZ_DEVICE T first_row_sum(Thread& t, const CsrView<T, O>& a, const T* x, K row, int first,
                          int stride) {
  const auto end = static_cast<K>(a.offsets[row + 1]);
  T sum = 0;
  for (auto k = static_cast<K>(static_cast<K>(a.offsets[row]) + first); k < end; k += stride)
    sum += a.values[k] * t.load(x + a.columns[k]);
  return sum;
}

// §V-C: a warp's sum through shared memory instead of shuffles, in every lane. `parts` has a place
// for each thread of the block. The program has no such kernels; the text says that partial results
// were buffered, and that it cost barriers and accesses.
template <class T, class Parts>
NZ_DEVICE T sum_in_shared(Thread& t, const Parts& parts, T part) {
  const int i = t.index();
  parts[i] = part;
  t.sync_warp();
  for (int by = 16; by > 0; by /= 2) {
    if (t.lane() < by) parts[i] += T(parts[i + by]);
    t.sync_warp();
  }
  const T sum = parts[i - t.lane()];
  t.sync_warp();  // before the next row's parts
  return sum;
}

// The program's grids that go round more than once: 8 blocks a multiprocessor.
inline Parameter blocks_per_sm_parameter() {
  return {"blocks_per_sm", "blocks launched for each multiprocessor at most", 8, 1, 1024};
}
inline int stride_blocks(std::int64_t needed, const Parameters& p) {
  const std::int64_t most =
      simt::backend(current_device()).info().processors * p.at("blocks_per_sm");
  return static_cast<int>(std::min(needed, std::max<std::int64_t>(1, most)));
}

// Of a product by a grid of so many blocks, which may go round rows or bins of them.
template <class T, class O>
Form form_for(const CsrView<T, O>& a, const Parameters& p, int blocks, int threads) {
  return {p, std::int64_t{a.nnz} + a.rows + std::int64_t{blocks} * threads};
}

}  // namespace nz::NZ_HOME
