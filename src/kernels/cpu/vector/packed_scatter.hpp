#pragma once
#include <algorithm>
#include <type_traits>

#include <nonzero/formats/packed.hpp>

#include "kernels/cpu/vector/slot.hpp"
#include "kernels/cpu/vector/value_readers.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// The rows of one slice, a lane each.
template <class T>
struct Slice : Slot<T> {
  using L = Lanes<T>;
  using View = PackedView<T>;
  using Slot<T>::at, Slot<T>::steps;

  NZ_INLINE void clear() {
    for_steps<T>([&](int h) NZ_INLINE_LAMBDA { at[h] = L::zero(); });
  }
  NZ_INLINE void load(const T* p, index_t height) {
    for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
      const T* here = p + h * L::width;
      at[h] = height == View::lanes ? L::load(here) : L::load_some(lower(height, h), here);
    });
  }
  NZ_INLINE void store(T* p, index_t height) const {
    for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
      T* here = p + h * L::width;
      if (height == View::lanes)
        L::store(here, at[h]);
      else
        L::store_some(lower(height, h), here, at[h]);
    });
  }
  // to = alpha times these + beta to.
  NZ_INLINE void put(T alpha, T beta, T* to, index_t height) const {
    Slice result;
    if (beta == T(0)) {
      for_steps<T>([&](int h) NZ_INLINE_LAMBDA { result.at[h] = L::mul(L::all(alpha), at[h]); });
    } else {
      result.load(to, height);
      for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
        result.at[h] = L::fma(L::all(alpha), at[h], L::mul(L::all(beta), result.at[h]));
      });
    }
    result.store(to, height);
  }
  static NZ_INLINE auto lower(index_t height, int h) { return L::mask((1u << height) - 1u, h); }

  // From the number of one column of the matrix to that of the next.
  static constexpr std::integral_constant<index_t, 1> column_apart() { return {}; }
  // Adds v times the numbers from p on.
  NZ_INLINE void add(const Slot<T>& v, const T* p) {
    for_steps<T>(
        [&](int h) NZ_INLINE_LAMBDA { at[h] = L::fma(v.at[h], L::load(p + h * L::width), at[h]); });
  }
  NZ_INLINE void add(T v, const T* p) {
    const auto same = L::all(v);
    for_steps<T>([&](int h)
                     NZ_INLINE_LAMBDA { at[h] = L::fma(same, L::load(p + h * L::width), at[h]); });
  }
};

// What the loops over a slice's runs need not read: masks unless there are gaps, columns in a
// band, and all values but the first of each run where they are level, one code in all lanes.
enum class Runs : std::uint8_t { gaps, whole, level, band, level_band };

// Adds value * factor of a slice's picks to where their columns say.
template <class Index, class T, class Values>
NZ_INLINE void scatter_picks(const PackedView<T>& a, const PackedSlice& head, std::int64_t slot,
                             const Index* indices, const Values& values, const Slice<T>& factors,
                             T* to) {
  constexpr int lanes = PackedView<T>::lanes;
  T* origin = to + head.base;
  for (int k = 0; k < head.picks; ++k, ++slot, indices += lanes) {
    const unsigned mask = a.masks[slot];
    alignas(64) T products[lanes];
    const auto v = values.slot(slot * lanes);
    for (int h = 0; h < Slice<T>::steps; ++h)
      Lanes<T>::store(products + h * Lanes<T>::width, Lanes<T>::mul(v.at[h], factors.at[h]));
    if (mask == PackedView<T>::full_mask)
      for (int l = 0; l < lanes; ++l) origin[indices[l]] += products[l];
    else
      for (int l = 0; l < lanes; ++l)
        if (mask >> l & 1u) origin[indices[l]] += products[l];
  }
}

// Runs that may have gaps, one by one. Neighbouring ones mostly overlap, and a load that overlaps a
// recent store must wait for it: take every third.
template <class T, class Values>
NZ_INLINE void scatter_one_by_one(const PackedView<T>& a, const PackedSlice& head,
                                  const PackedMark& at, const Values& values,
                                  const Slice<T>& factors, T* sums) {
  using L = Lanes<T>;
  using View = PackedView<T>;
  for (int third = 0; third < 3; ++third)
    for (int k = third; k < head.runs; k += 3) {
      const std::int64_t slot = at.slot + k, place = slot * View::lanes;
      const unsigned mask = a.masks[slot];
      T* to = sums + a.run_columns[at.run + k];
      const auto v = values.slot(place);
      for (int h = 0; h < Slice<T>::steps; ++h) {
        const auto m = L::mask(mask, h);
        T* here = to + h * L::width;
        if (mask == View::full_mask)
          L::store(here, L::fma(v.at[h], factors.at[h], L::load(here)));
        else
          L::store_some(m, here, L::fma(v.at[h], factors.at[h], L::load_some(m, here)));
      }
    }
}

// Runs without gaps. Those in neighbouring columns are added up in registers that move along: the
// lowest lane is done with when the next run begins one column further. Level runs have one value.
template <bool level, class T, class Values>
NZ_INLINE void scatter_moving(const PackedView<T>& a, const PackedSlice& head, const PackedMark& at,
                              const Values& values, const Slice<T>& factors, T* sums) {
  using L = Lanes<T>;
  const index_t* const columns = a.run_columns + at.run;
  const bool band = head.band;
  index_t column = columns[0];
  std::int64_t place = at.slot * PackedView<T>::lanes;
  Slice<T> moving;
  moving.clear();
  for (int k = 0;; place += PackedView<T>::lanes) {
    if constexpr (level) {
      const auto same = L::all(values.at(place));
      for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
        moving.at[h] = L::fma(same, factors.at[h], moving.at[h]);
      });
    } else {
      const auto v = values.slot(place);
      for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
        moving.at[h] = L::fma(v.at[h], factors.at[h], moving.at[h]);
      });
    }
    T* const to = sums + column;
    const bool last = ++k == head.runs;
    const index_t before = column;
    if (!last) column = band ? before + 1 : columns[k];
    if (!last && column == before + 1) {
      *to += L::lowest(moving.at[0]);
      for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
        moving.at[h] = L::next(moving.at[h], h + 1 < Slice<T>::steps
                                                 ? moving.at[std::min(h + 1, Slice<T>::steps - 1)]
                                                 : L::zero());
      });
      continue;
    }
    for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
      T* const here = to + h * L::width;
      L::store(here, L::add(moving.at[h], L::load(here)));
    });
    if (last) return;
    moving.clear();
  }
}

// The same where a slice is one vector and masks cost nothing, with gaps or without.
template <class T, class Values>
NZ_INLINE void scatter_shifting(const PackedView<T>& a, const PackedSlice& head,
                                const PackedMark& at, const Values& values, const Slice<T>& factors,
                                T* sums) {
  using L = Lanes<T>;
  using View = PackedView<T>;
  const index_t* columns = a.run_columns + at.run;
  if (head.band) {
    T* to = sums + columns[0];
    auto moving = L::zero();
    for (int k = 0;; ++k) {
      moving = L::fma(values.load((at.slot + k) * View::lanes), factors.at[0], moving);
      if (k + 1 == head.runs) {
        L::store(to + k, L::add(moving, L::load(to + k)));
        return;
      }
      to[k] += L::lowest(moving);
      moving = L::shift_down(moving);
    }
  }
  for (int k = 0; k < head.runs;) {
    auto moving = L::zero();
    unsigned touched = 0;
    for (;; ++k) {
      const std::int64_t slot = at.slot + k;
      const auto mask = static_cast<typename L::Mask>(a.masks[slot]);
      moving = L::fma_some(mask, values.load(slot * View::lanes), factors.at[0], moving);
      touched |= mask;
      if (k + 1 == head.runs || columns[k + 1] != columns[k] + 1) break;
      if (touched & 1u) sums[columns[k]] += L::lowest(moving);
      moving = L::shift_down(moving);
      touched >>= 1;
    }
    T* to = sums + columns[k];
    const auto mask = static_cast<typename L::Mask>(touched);
    L::store_some(mask, to, L::add(moving, L::load_some(mask, to)));
    ++k;
  }
}

// Whether runs without gaps are added up in registers that move along, and their masks not read.
template <class T>
constexpr bool moves_along = requires(typename Lanes<T>::Vector v) {
  Lanes<T>::next(v, v);
};

// Adds value * factor of a slice's runs to where their columns say.
template <class T, class Values>
NZ_INLINE void scatter_runs(const PackedView<T>& a, const PackedSlice& head, Runs runs,
                            const PackedMark& at, const Values& values, const Slice<T>& factors,
                            T* sums) {
  if constexpr (Lanes<T>::can_mask) {
    scatter_shifting(a, head, at, values, factors, sums);
  } else {
    if constexpr (moves_along<T>) {
      if (runs == Runs::level || runs == Runs::level_band)
        return scatter_moving<true>(a, head, at, values, factors, sums);
      if (runs != Runs::gaps) return scatter_moving<false>(a, head, at, values, factors, sums);
    }
    scatter_one_by_one(a, head, at, values, factors, sums);
  }
}

#include "kernels/cpu/vector/isa_end.hpp"
