#pragma once
#include <nonzero/formats/csr.hpp>

#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// The sum over every `step`-th of `entries` entries, from the given one on; `ahead` of them are on
// their way at a time, the last few too: a loop over what is left would wait for each by itself.
// Through the caches: lanes of other rows want the rest of each line.
template <int ahead, class T>
NZ_DEVICE T add_entries(Thread& t, const index_t* columns, const T* values, const T* x, int from,
                        int entries, int step) {
  T sum = 0;
  for (int k = from; k < entries; k += ahead * step) {
    index_t column[ahead];
    T value[ahead];
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j) {
      const bool there = k + j * step < entries;
      column[j] = there ? t.load(columns + k + j * step) : -1;
      value[j] = there ? t.load(values + k + j * step) : T(0);
    }
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j)
      if (column[j] >= 0) sum += value[j] * t.load(x + column[j]);
  }
  return sum;
}

// The other way: each of those entries of a row adds its product to y, scaled already.
template <class T, class O>
NZ_DEVICE void scatter_entries(Thread& t, const CsrView<T, O>& a, T alpha, const T* x, T* y,
                               std::int64_t row, std::int64_t entry, int entries, int from,
                               int step) {
  if (from >= entries) return;
  const T factor = alpha * t.load(x + row);
  for (int k = from; k < entries; k += step)
    t.atomic_add(y + t.load(a.columns + entry + k), t.load(a.values + entry + k) * factor);
}

}  // namespace nz::NZ_HOME
