#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/gpu/packed_slices.hpp"
#include "kernels/gpu/value_readers.hpp"

// What the runs and the picks of a slice add to its rows, by a warp. Few instructions count for as
// much here as few bytes: most of what is read comes from near caches.
namespace nz::NZ_HOME {

// Runs of one value whose x is on its way at a time, runs of many values, and picks of each part.
template <class T>
inline constexpr int equal_ahead = sizeof(T) == 4 ? 5 : 3;
template <class T>
inline constexpr int others_ahead = 2;
inline constexpr int picks_ahead = 2;

template <class Index>
inline constexpr Index no_pick = static_cast<Index>(~Index{0});

// The lane's rows of a run: bit p for part p.
template <class T>
NZ_DEVICE unsigned rows_of_lane(Thread& t, const Run<T>& run) {
  return static_cast<unsigned>(t.load(&run.rows.at[t.lane() / 2])) >> 4 * (t.lane() % 2);
}

// A warp's slice while it is summed up: row is the lane's first.
template <class T>
struct SliceSums {
  const T* x;
  index_t row;
  T sum[slice_parts] = {};

  NZ_DEVICE void add_equal(Thread& t, const Run<T>* list, std::uint32_t n, bool plain) {
    if (plain)
      add_equal_by<equal_ahead<T>, true>(t, list, n);
    else
      add_equal_by<1, false>(t, list, n);
  }
  template <ValueCode code>
  NZ_DEVICE void add_others(Thread& t, const Run<T>* list, std::uint32_t n, bool plain,
                            const T* table, const std::byte* values, std::uint32_t first) {
    const ValueReader<T, code> reader(t, table);
    const std::int64_t at = std::int64_t{first} * slice_rows + t.lane();
    if (plain)
      add_others_by<others_ahead<T>, true>(t, reader, list, n, values, at);
    else
      add_others_by<1, false>(t, reader, list, n, values, at);
  }

 private:
  // As many at a time as there are still, then fewer.
  template <int many, bool plain>
  NZ_DEVICE void add_equal_by(Thread& t, const Run<T>* list, std::uint32_t n) {
    NZ_ROLLED
    for (; n >= many; n -= many, list += many) {
      unsigned rows[many];
      typename Run<T>::Head head[many];
      T its[many][slice_parts];
      NZ_UNROLL
      for (int j = 0; j < many; ++j) {
        rows[j] = rows_of_lane(t, list[j]);
        head[j] = t.load(&list[j].head);
      }
      NZ_UNROLL
      for (int j = 0; j < many; ++j) load_x<plain>(t, rows[j], head[j].diagonal, its[j]);
      NZ_UNROLL
      for (int j = 0; j < many; ++j) NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        if (rows[j] & 1u << p) sum[p] += head[j].value * its[j][p];
    }
    if constexpr (many > 1)
      if (n > 0) add_equal_by<many / 2, plain>(t, list, n);
  }

  template <int many, bool plain, class Reader>
  NZ_DEVICE void add_others_by(Thread& t, const Reader& reader, const Run<T>* list, std::uint32_t n,
                               const std::byte* values, std::int64_t at) {
    NZ_ROLLED
    for (; n >= many; n -= many, list += many, at += many * slice_rows) {
      unsigned rows[many];
      index_t diagonal[many];
      typename Reader::Stored stored[many][slice_parts];
      T its[many][slice_parts];
      NZ_UNROLL
      for (int j = 0; j < many; ++j) {
        NZ_UNROLL
        for (int p = 0; p < slice_parts; ++p)
          stored[j][p] = reader.load(t, values, at + j * slice_rows + 32 * p);
        rows[j] = rows_of_lane(t, list[j]);
        diagonal[j] = t.load(&list[j].head.diagonal);
      }
      NZ_UNROLL
      for (int j = 0; j < many; ++j) load_x<plain>(t, rows[j], diagonal[j], its[j]);
      NZ_UNROLL
      for (int j = 0; j < many; ++j) NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        if (rows[j] & 1u << p) sum[p] += reader.value(t, stored[j][p]) * its[j][p];
    }
    if constexpr (many > 1)
      if (n > 0) add_others_by<many / 2, plain>(t, reader, list, n, values, at);
  }

  // Plain loads are without conditions: each would take instructions.
  template <bool plain>
  NZ_DEVICE void load_x(Thread& t, unsigned rows, index_t diagonal, T* its) const {
    const T* at = plain ? x + (row + diagonal) : x + (std::int64_t{row} + diagonal);
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p)
      its[p] = plain || rows & 1u << p ? t.load(at + 32 * p) : T(0);
  }
};

// What the picks of a slice sum up to, by rank: four of the lane's.
template <ValueCode code, class T, class Index>
NZ_DEVICE void sum_picks(Thread& t, const PackedSlicesView<T>& a, const Index* picks,
                         const SlicePicks& at, const T* x, T* mine) {
  using Reader = ValueReader<T, code>;
  const Reader reader(t, a.table);
  x += at.tail.base;
  std::uint32_t count[slice_parts];
  NZ_UNROLL
  for (int p = 0; p < slice_parts; ++p)
    count[p] =
        (p + 1 < slice_parts ? at.start.at[(p + 1) % slice_parts] : at.tail.end) - at.start.at[p];
  NZ_ROLLED
  for (std::uint32_t k = 0; k < count[0]; k += picks_ahead) {  // none has more
    typename Reader::Stored stored[picks_ahead][slice_parts];
    T its[picks_ahead][slice_parts];
    Index pick[picks_ahead][slice_parts];
    NZ_UNROLL
    for (int j = 0; j < picks_ahead; ++j) NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const std::int64_t i = (std::int64_t{at.start.at[p]} + k + j) * 32 + t.lane();
      const bool there = k + j < count[p];
      pick[j][p] = there ? t.load_streaming(picks + i) : no_pick<Index>;
      stored[j][p] = there ? reader.load(t, a.pick_values, i) : typename Reader::Stored(0);
    }
    NZ_UNROLL
    for (int j = 0; j < picks_ahead; ++j) NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p)
      its[j][p] = pick[j][p] != no_pick<Index> ? t.load(x + pick[j][p]) : T(0);
    NZ_UNROLL
    for (int j = 0; j < picks_ahead; ++j) NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p)
      if (pick[j][p] != no_pick<Index>) mine[p] += reader.value(t, stored[j][p]) * its[j][p];
  }
}

}  // namespace nz::NZ_HOME
