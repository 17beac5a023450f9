#pragma once
#include <cstdint>

#include "kernels/cpu/vector/value_readers.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// The sum of value * x over n entries from place p on, whose columns are at `columns`: four chains
// of additions side by side. Not inlined, to keep the loop over short rows short.
template <class T, class Values, class Index>
__attribute__((noinline)) T dot_of_long(Values values, std::int64_t p, const Index* columns,
                                        std::int64_t n, const T* x) {
  T a = 0, b = 0, c = 0, d = 0;
  std::int64_t k = 0;
  for (; k + 4 <= n; k += 4) {
    a += values.at(p + k) * x[columns[k]];
    b += values.at(p + k + 1) * x[columns[k + 1]];
    c += values.at(p + k + 2) * x[columns[k + 2]];
    d += values.at(p + k + 3) * x[columns[k + 3]];
  }
  for (; k < n; ++k) a += values.at(p + k) * x[columns[k]];
  return (a + b) + (c + d);
}

// The same in one chain where rows are short: several of them are under way at once.
template <class T, class Values, class Index>
NZ_INLINE T dot_by_one(const Values& values, std::int64_t p, const Index* columns, std::int64_t n,
                       const T* x) {
  constexpr std::int64_t is_long = 16;
  if (n >= is_long) return dot_of_long(values, p, columns, n, x);
  T sum = 0;
  std::int64_t k = 0;
  const auto add = [&](std::int64_t at)
                       NZ_INLINE_LAMBDA { sum += values.at(p + at) * x[columns[at]]; };
  if constexpr (Lanes<T>::unroll_short) {
    for (; k + 4 <= n; k += 4) {
      add(k);
      add(k + 1);
      add(k + 2);
      add(k + 3);
    }
    if (n & 2) {
      add(k);
      add(k + 1);
      k += 2;
    }
    if (n & 1) add(k);
  } else {
    for (; k < n; ++k) add(k);
  }
  return sum;
}

// The same by vectors, two chains.
template <class T, class Values, class Index>
NZ_INLINE T dot_by_vectors(const Values& values, std::int64_t p, const Index* columns,
                           std::int64_t n, const T* x) {
  using L = Lanes<T>;
  constexpr std::int64_t w = L::width;
  auto even = L::zero(), odd = L::zero();
  std::int64_t k = 0;
  for (; k + 2 * w <= n; k += 2 * w) {
    even = L::fma(values.load(p + k), L::gather(x, L::indices(columns + k)), even);
    odd = L::fma(values.load(p + k + w), L::gather(x, L::indices(columns + k + w)), odd);
  }
  if (k + w <= n) {
    even = L::fma(values.load(p + k), L::gather(x, L::indices(columns + k)), even);
    k += w;
  }
  if (k < n) {
    const auto rest = L::first(static_cast<int>(n - k));
    odd = L::fma(values.load_some(rest, p + k),
                 L::gather_some(rest, x, L::indices_some(rest, columns + k)), odd);
  }
  return L::sum(L::add(even, odd));
}

// Rows shorter than a vector are faster without one.
template <class T, class Values, class Index>
NZ_INLINE T dot(const Values& values, std::int64_t p, const Index* columns, std::int64_t n,
                const T* x) {
  if constexpr (Lanes<T>::can_gather)
    if (n >= Lanes<T>::width / 2) return dot_by_vectors(values, p, columns, n, x);
  return dot_by_one(values, p, columns, n, x);
}

#include "kernels/cpu/vector/isa_end.hpp"
