#pragma once
#include <cstdint>

#include <nonzero/formats/csr.hpp>

#include "kernels/gpu/entry_keys.hpp"
#include "kernels/packed_rules.hpp"
#include "kernels/gpu/packed_slices.hpp"
#include "simt/simt.hpp"

// A warp a slice: its rows are walked side by side, from diagonal to diagonal. Those that are on
// the same one make a run where they are enough, and have a pick each where not.
namespace nz::NZ_HOME {

inline constexpr index_t no_column = 0x7fffffff;

NZ_DEVICE index_t min_all(Thread& t, index_t v) {
  for (int mask = 16; mask > 0; mask /= 2) {
    const index_t other = t.shuffle_xor(v, mask);
    v = other < v ? other : v;
  }
  return v;
}
NZ_DEVICE index_t max_all(Thread& t, index_t v) {
  for (int mask = 16; mask > 0; mask /= 2) {
    const index_t other = t.shuffle_xor(v, mask);
    v = other > v ? other : v;
  }
  return v;
}
// The number of zeros below the lowest one.
NZ_DEVICE int lowest(unsigned mask) { return bit_count((mask & (0u - mask)) - 1); }

// The rows of a slice that are not done yet, four a lane.
template <class T, class O>
struct SliceWalk {
  CsrView<T, O> a;
  int enough;

  // Whether a row has more entries than that: for all lanes.
  NZ_DEVICE bool any_longer(Thread& t, std::int64_t slice, std::int64_t most) const {
    bool longer = false;
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const std::int64_t row = slice * slice_rows + 32 * p + t.lane();
      if (row < a.rows)
        longer = longer || t.load(a.offsets + row + 1) - t.load(a.offsets + row) > most;
    }
    return t.any(longer);
  }

  // For all lanes: run(first, mask, equal, value, entries) for every run, where first is the column
  // that the slice's first row has or would have, and value is that of one of its rows;
  // pick(part, column, entry) for whoever has one. `entries` are those of the lane's rows, where
  // the mask has them.
  template <class OnRun, class OnPick>
  NZ_DEVICE void operator()(Thread& t, std::int64_t slice, OnRun&& run, OnPick&& pick) const {
    const auto* bits = reinterpret_cast<const Bits<T>*>(a.values);
    std::int64_t k[slice_parts] = {}, end[slice_parts] = {};
    index_t diagonal[slice_parts];
    Bits<T> value[slice_parts];
    const auto fetch = [&](int p) {
      diagonal[p] = k[p] < end[p] ? t.load(a.columns + k[p]) - 32 * p - t.lane() : no_column;
      value[p] = k[p] < end[p] ? t.load(bits + k[p]) : 0;
    };
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const std::int64_t row = slice * slice_rows + 32 * p + t.lane();
      k[p] = row < a.rows ? t.load(a.offsets + row) : 0;
      end[p] = row < a.rows ? t.load(a.offsets + row + 1) : 0;
      fetch(p);
    }
    for (;;) {
      index_t first = diagonal[0];
      NZ_UNROLL
      for (int p = 1; p < slice_parts; ++p) first = diagonal[p] < first ? diagonal[p] : first;
      first = min_all(t, first);
      if (first == no_column) return;
      SliceMask mask;
      int rows = 0;
      Bits<T> of_one = 0;
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        mask.at[p] = t.ballot(diagonal[p] == first);
        if (mask.at[p] != 0) of_one = t.shuffle(value[p], lowest(mask.at[p]));
        rows += bit_count(mask.at[p]);
      }
      bool same = true;
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        same = same && (diagonal[p] != first || value[p] == of_one);
      const bool equal = t.all(same);
      const bool is_run = rows >= (equal ? enough_equal : enough);
      if (is_run) run(first, mask, equal, of_one, k);
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        if (diagonal[p] != first) continue;
        if (!is_run) pick(p, first + 32 * p + t.lane(), k[p]);
        ++k[p];
        fetch(p);
      }
    }
  }
};

// How many rows of the slice have more picks, or as many and come before; so for each of the
// lane's.
NZ_DEVICE void rank_rows(Thread& t, const index_t* picks, int* rank) {
  constexpr index_t most = 1 << 23;
  index_t key[slice_parts];
  NZ_UNROLL
  for (int p = 0; p < slice_parts; ++p) {
    const index_t n = picks[p] < most ? picks[p] : most;
    key[p] = n * slice_rows + (slice_rows - 1 - 32 * p - t.lane());
    rank[p] = 0;
  }
  NZ_ROLLED
  for (int l = 0; l < 32; ++l) NZ_UNROLL
  for (int q = 0; q < slice_parts; ++q) {
    const index_t its = t.shuffle(key[q], l);
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) rank[p] += its > key[p];
  }
}

// A run as it is stored, by all lanes.
template <class T>
NZ_DEVICE void write_run(Thread& t, Run<T>* to, const SliceMask& mask, index_t diagonal,
                         Bits<T> value) {
  unsigned mine = 0;
  NZ_UNROLL
  for (int p = 0; p < slice_parts; ++p) mine |= (mask.at[p] >> t.lane() & 1) << p;
  const unsigned next = t.shuffle_down(mine, 1);
  if (t.lane() % 2 == 0) to->rows.at[t.lane() / 2] = static_cast<std::uint8_t>(mine | next << 4);
  if (t.lane() != 1) return;
  to->head.diagonal = diagonal;
  memcpy(&to->head.value, &value, sizeof value);
}

}  // namespace nz::NZ_HOME
