#pragma once
#include <nonzero/formats/csr.hpp>

#include "base/complex.hpp"
#include "simt/simt.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {

// For products that wait in shared memory: every 32nd place stays empty, so that rows of 8, 16 or
// 32 entries do not meet in one bank.
NZ_HOST_DEVICE int padded(int i) { return i + (i >> 5); }

// The largest power of 2 so that rows * lanes is at most `most`.
NZ_DEVICE int lanes_for(int most, int rows) {
  int lanes = 1;
  while (lanes < 32 && lanes * 2 * rows <= most) lanes *= 2;
  return lanes;
}

// The rows of a tile whose products lie in shared memory, those of row i from start[i] up to
// start[i + 1], at padded() places: `put(i, sum)` by one lane for each row. Rows are short or many,
// so that several lanes take one, or one takes several. A start with the bit `elsewhere` says that
// the row's products are not here.
template <int elsewhere, class T, class Start, class Put>
NZ_DEVICE void add_tile_rows(Thread& t, int rows, const SharedArray<T>& product,
                             const SharedArray<Start>& start, Put&& put) {
  const int lanes = lanes_for(t.block_size(), rows), lane = t.index() % lanes;
  for (int base = t.warp() * (32 / lanes); base < rows; base += t.block_size() / lanes) {
    const int i = base + t.lane() / lanes;
    bool mine = i < rows;
    T sum = 0;
    if (mine) {
      const int begin = Start(start[i]);
      mine = (begin & elsewhere) == 0;
      const int end = mine ? Start(start[i + 1]) & ~elsewhere : 0;
      NZ_ROLLED
      for (int k = begin + lane; k < end; k += lanes) sum += product[padded(k)];
    }
    sum = reduce_to_first_lane(t, sum, lanes);
    if (mine && lane == 0) put(i, sum);
  }
}

// The sum over every `step`-th of `entries` entries, from the given one on; `ahead` of them are on
// their way at a time. Through the caches: lanes of other rows want the rest of each line. Few
// registers count for more than the last loads in parallel: predicates instead of the second
// loop made stencils slower.
template <int ahead, class T>
NZ_DEVICE T add_entries(Thread& t, const index_t* columns, const T* values, VectorOf<T> x, int from,
                        int entries, int step) {
  T sum = 0;
  int k = from;
  NZ_ROLLED
  for (; k + (ahead - 1) * step < entries; k += ahead * step) {
    index_t column[ahead];
    T value[ahead];
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j) column[j] = t.load(columns + k + j * step);
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j) value[j] = t.load(values + k + j * step);
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j) sum += value[j] * t.load(x + column[j]);
  }
  NZ_ROLLED
  for (; k < entries; k += step) sum += t.load(values + k) * t.load(x + t.load(columns + k));
  return sum;
}

// The same for at most `ahead` * `step` entries: all are on their way at once.
template <int ahead, class T>
NZ_DEVICE T add_at_once(Thread& t, const index_t* columns, const T* values, VectorOf<T> x, int from,
                        int entries, int step) {
  index_t column[ahead];
  T value[ahead], sum = 0;
  NZ_UNROLL
  for (int j = 0; j < ahead; ++j)
    column[j] = from + j * step < entries ? t.load(columns + from + j * step) : -1;
  NZ_UNROLL
  for (int j = 0; j < ahead; ++j)
    value[j] = from + j * step < entries ? t.load(values + from + j * step) : T(0);
  NZ_UNROLL
  for (int j = 0; j < ahead; ++j)
    if (column[j] >= 0) sum += value[j] * t.load(x + column[j]);
  return sum;
}

// The other way: each of those entries of a row adds its product to y, scaled already.
template <class T, class O>
NZ_DEVICE void scatter_entries(Thread& t, const CsrView<T, O>& a, FactorOf<T> alpha, VectorOf<T> x,
                               T* y, std::int64_t row, std::int64_t entry, int entries, int from,
                               int step) {
  if (from >= entries) return;
  const T its = t.load(x + row);
  for (int k = from; k < entries; k += step)
    t.atomic_add(y + t.load(a.columns + entry + k), alpha * (t.load(a.values + entry + k) * its));
}

}  // namespace nz::NZ_HOME
