#pragma once
#include "kernels/cpu/vector/packed_runs.hpp"
#include "kernels/cpu/vector/streams.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// A run that may have gaps, and picks, of several vectors.
template <class T, int n>
NZ_INLINE void add_run(const PackedView<T>& a, unsigned mask, index_t column, const Slot<T>& v,
                       const T* x, StreamsByColumns<T, n>& sums) {
  for_vectors<n>(
      [&](int j) NZ_INLINE_LAMBDA { add_run(a, mask, column, v, x + j * sums.apart(), sums[j]); });
}
template <class Index, class T, class Values, int n>
NZ_INLINE void add_picks(const PackedView<T>& a, const PackedSlice& head, std::int64_t slot,
                         const Index* indices, const Values& values, const T* x,
                         StreamsByColumns<T, n>& sums) {
  for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
    add_picks(a, head, slot, indices, values, x + j * sums.apart(), sums[j]);
  });
}
template <class T, int n>
NZ_INLINE void add_run(const PackedView<T>&, unsigned mask, index_t column, const Slot<T>& v,
                       const T* x, StreamsByRows<T, n>& sums) {
  sums.add_some(Lanes<T>::mask(mask, 0), v, x + column * sums.column_apart());
}
template <class Index, class T, class Values, int n>
NZ_INLINE void add_picks(const PackedView<T>& a, const PackedSlice& head, std::int64_t slot,
                         const Index* indices, const Values& values, const T* x,
                         StreamsByRows<T, n>& sums) {
  constexpr index_t lanes = PackedView<T>::lanes;
  const T* const origin = x + head.base * sums.column_apart();
  for (int k = 0; k < head.picks; ++k, ++slot, indices += lanes)
    sums.gather_some(Lanes<T>::mask(a.masks[slot], 0), values.slot(slot * lanes),
                     Lanes<T>::indices(indices), origin);
}

// Rows of Y, of the streams from `stream` on: those of the slice s.
template <int n, class T, class Sums>
NZ_INLINE void put_slice(const PackedView<T>& a, index_t s, Sums& sums, index_t stream,
                         const cpu::Several<T>& all) {
  constexpr index_t lanes = PackedView<T>::lanes;
  const DenseView<T>& y = all.y;
  const index_t height = a.height(s), top = s * lanes;
  for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
    Slice<T> its;
    for_steps<T>([&](int h) NZ_INLINE_LAMBDA { its.at[h] = sums[j].at[h]; });
    if constexpr (Sums::by_rows) {
      T* const to = y.data() + top * y.row_stride() + (stream + j) * lanes;
      const index_t rest =
          std::min<std::int64_t>(lanes, std::int64_t{height} * all.columns - (stream + j) * lanes);
      if (rest > 0) its.put(all.alpha, all.beta, to, rest);
    } else {
      T* const to = y.data() + (stream + j) * y.column_stride();
      if (y.row_stride() == 1) return its.put(all.alpha, all.beta, to + top, height);
      alignas(64) T waiting[lanes];
      for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
        Lanes<T>::store(waiting + h * Lanes<T>::width, its.at[h]);
      });
      for (index_t l = 0; l < height; ++l)
        cpu::store(to[(top + l) * y.row_stride()], all.alpha, waiting[l], all.beta);
    }
  });
}

// The rows of slices `first` to `last`, as row_sums() has them for one vector.
template <int n, class T, class Values, class Sums>
void stream_sums(const PackedView<T>& stored, const Runs* runs, index_t first, index_t last,
                 PackedMark at, const Values& given, Sums sums, Count<n>, const T* x,
                 index_t stream, const cpu::Several<T>& all) {
  const PackedView<T> a = stored;
  const Values values = given;
  for (index_t s = first; s < last; ++s) {
    const PackedSlice head = a.slice[s];
    sums.clear();
    add_runs(a, head, runs[s], at, values, x, sums);
    if (head.picks > 0)
      with_indices(a.indices + at.index, head.width, [&](const auto* indices) NZ_INLINE_LAMBDA {
        add_picks(a, head, at.slot + head.runs, indices, values, x, sums);
      });
    put_slice<n>(a, s, sums, stream, all);
    at.pass(head, PackedView<T>::lanes);
  }
}

#include "kernels/cpu/vector/isa_end.hpp"
