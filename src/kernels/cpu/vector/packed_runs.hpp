#pragma once
#include "kernels/cpu/vector/packed_scatter.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// Adds a slice's picks to the sums of its rows. Where there is none, the code of a value may stand
// for an infinite one: neither it nor x counts. The index of none is 0, a column that there is.
template <class Index, class T, class Values>
NZ_INLINE void add_picks(const PackedView<T>& a, const PackedSlice& head, std::int64_t slot,
                         const Index* indices, const Values& values, const T* x, Slot<T>& sums) {
  using L = Lanes<T>;
  const T* origin = x + head.base;
  for (int k = 0; k < head.picks; ++k, ++slot, indices += PackedView<T>::lanes) {
    const unsigned mask = a.masks[slot];
    const auto v = values.slot(slot * PackedView<T>::lanes);
    if (!L::can_mask && mask == PackedView<T>::full_mask)
      for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
        const auto i = L::indices(indices + h * L::width);
        sums.at[h] = L::fma(v.at[h], L::gather(origin, i), sums.at[h]);
      });
    else
      for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
        const auto i = L::indices(indices + h * L::width);
        const auto m = L::mask(mask, h);
        if constexpr (L::can_blend)
          sums.at[h] = L::fma(L::some(m, v.at[h]), L::some(m, L::gather(origin, i)), sums.at[h]);
        else
          sums.at[h] = L::fma_some(m, v.at[h], L::gather_some(m, origin, i), sums.at[h]);
      });
  }
}

// A run that may have gaps.
template <class T>
NZ_INLINE void add_run(const PackedView<T>& a, unsigned mask, index_t column, const Slot<T>& v,
                       const T* x, Slot<T>& sums) {
  using L = Lanes<T>;
  using View = PackedView<T>;
  const T* from = x + column;
  if (!L::can_mask && mask == View::full_mask)
    return for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
      sums.at[h] = L::fma(v.at[h], L::load(from + h * L::width), sums.at[h]);
    });
  // Without masks all of x is read where it is there.
  const bool inside = L::can_blend && column >= 0 && column <= a.cols - View::lanes;
  for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
    const auto m = L::mask(mask, h);
    const T* here = from + h * L::width;
    if (inside)
      sums.at[h] = L::fma(L::some(m, v.at[h]), L::some(m, L::load(here)), sums.at[h]);
    else
      sums.at[h] = L::fma_some(m, v.at[h], L::load_some(m, here), sums.at[h]);
  });
}

// Adds a slice's runs to the sums of its rows: a Slice, or the Streams of several vectors.
template <class T, class Values, class Sums>
NZ_INLINE void add_runs(const PackedView<T>& a, const PackedSlice& head, Runs runs,
                        const PackedMark& at, const Values& values, const T* x, Sums& sums) {
  constexpr index_t lanes = PackedView<T>::lanes;
  const auto step = sums.column_apart();
  const index_t *column = a.run_columns + at.run, *end = column + head.runs;
  std::int64_t place = at.slot * lanes;
  switch (runs) {
    case Runs::level:
      for (; column != end; ++column, place += lanes)
        sums.add(values.at(place), x + *column * step);
      return;
    case Runs::level_band:
      for (const T *from = x + *column * step, *last = from + head.runs * step; from != last;
           from += step) {
        sums.add(values.at(place), from);
        place += lanes;
      }
      return;
    case Runs::whole:
      for (; column != end; ++column, place += lanes)
        sums.add(values.slot(place), x + *column * step);
      return;
    case Runs::band:
      for (const T *from = x + *column * step, *last = from + head.runs * step; from != last;
           from += step) {
        sums.add(values.slot(place), from);
        place += lanes;
      }
      return;
    case Runs::gaps:
      for (const auto* mask = a.masks + at.slot; column != end; ++column, ++mask, place += lanes)
        add_run(a, *mask, *column, values.slot(place), x, sums);
  }
}

#include "kernels/cpu/vector/isa_end.hpp"
