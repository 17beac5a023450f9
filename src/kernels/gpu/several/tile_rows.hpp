#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/gpu/parts/long_rows.hpp"
#include "kernels/gpu/parts/search.hpp"
#include "kernels/gpu/several/vectors.hpp"

// Rows of a tile times several vectors. The entries of the tile, columns and values, lie in shared
// memory; a group of lanes stands for the columns of X, `pack` of them each, so that every load of
// X is a stretch of one of its rows, and a column and a value are read once for all. Where rows are
// short each is a group's own, or that of several groups that take every `split`-th entry and add
// up by shuffles. Where they are few or differ (entries_evenly) each group takes as many entries as
// the others, whatever rows they belong to, and parts of rows meet in shared memory.
namespace nz::NZ_HOME {

// X by rows: `packs` packs of a row are there. Packs of one may lie anywhere.
template <class T, int pack>
struct RowsOfX {
  const T* data;
  std::int64_t row, column;
  int packs;
  int lanes;    // a power of 2, at most 32: of one group
  bool differ;  // the rows of the matrix, in length

  NZ_DEVICE Pack<T, pack> load(Thread& t, index_t i, int p) const {
    if constexpr (pack == 1)
      return {{t.load(data + i * row + p * column)}};
    else
      return t.load(reinterpret_cast<const Pack<T, pack>*>(data + i * row) + p);
  }
};

template <int pack, class T>
RowsOfX<T, pack> rows_of(const Several<const T>& x, bool rows_differ = false) {
  const int packs = x.columns / pack;
  int lanes = 1;
  while (lanes < packs && lanes < 32) lanes *= 2;
  return {x.data, x.row, x.column, packs, lanes, rows_differ};
}

// The same output, stored a pack at a time where it allows that.
template <int pack, class T>
SeveralOutput<T> wide_output(SeveralOutput<T> out) {
  out.whole = has_packs(out.y, pack) ? pack : 1;
  return out;
}

// body(std::integral_constant<int, pack>) with the widest pack that x allows.
template <class T, class Body>
void with_pack(const Several<const T>& x, Body&& body) {
  constexpr int most = 16 / int(sizeof(T));
  if constexpr (most == 4)
    if (has_packs(x, 4)) return body(std::integral_constant<int, 4>());
  if (has_packs(x, 2))
    body(std::integral_constant<int, 2>());
  else
    body(std::integral_constant<int, 1>());
}

// sum += the entries begin, begin + step, ... before end of what entry(e) returns, a column and a
// value; `ahead` of them are on their way at a time, and then what is left over. A column of -1 is
// a place that holds nothing.
template <int ahead, bool all, int pack, class T, class Entry>
NZ_DEVICE void add_batch(Thread& t, const RowsOfX<T, pack>& x, int p, int e, int end, int step,
                         T (&sum)[pack], Entry&& entry) {
  Pack<T, pack> its[ahead];
  T value[ahead];
  index_t column[ahead];
  NZ_UNROLL
  for (int a = 0; a < ahead; ++a) {
    column[a] = -1;
    if (all || e + a * step < end) entry(e + a * step, column[a], value[a]);
  }
  NZ_UNROLL
  for (int a = 0; a < ahead; ++a)
    if (column[a] >= 0) its[a] = x.load(t, column[a], p);
  NZ_UNROLL
  for (int a = 0; a < ahead; ++a)
    if (column[a] >= 0) {
      NZ_UNROLL
      for (int q = 0; q < pack; ++q) sum[q] += value[a] * its[a].at[q];
    }
}

template <int ahead, int pack, class T, class Entry>
NZ_DEVICE void add_several(Thread& t, const RowsOfX<T, pack>& x, int p, int begin, int end,
                           int step, T (&sum)[pack], Entry&& entry) {
  int e = begin;
  NZ_ROLLED
  for (; e + (ahead - 1) * step < end; e += ahead * step)
    add_batch<ahead, true>(t, x, p, e, end, step, sum, entry);
  if (e < end) add_batch<ahead - 1, false>(t, x, p, e, end, step, sum, entry);
}

// Adds up over `split` groups of x.lanes lanes each.
template <int pack, class T>
NZ_DEVICE void add_groups(Thread& t, int lanes, int split, T (&sum)[pack]) {
  for (int mask = lanes * split / 2; mask >= lanes; mask /= 2) {
    NZ_UNROLL
    for (int q = 0; q < pack; ++q) sum[q] += t.shuffle_xor(sum[q], mask);
  }
}

// For one warp: the entries begin to end of one row; put(j, sum) gets its columns from j on.
template <int pack, class T, class Entry, class Put>
NZ_DEVICE void add_row_several(Thread& t, int begin, int end, const RowsOfX<T, pack>& x,
                               Entry&& entry, Put&& put) {
  const int split = 32 / x.lanes, lane = t.lane() % x.lanes, part = t.lane() / x.lanes;
  NZ_ROLLED
  for (int first = 0; first < x.packs; first += x.lanes) {
    const int p = first + lane;
    T sum[pack] = {};
    if (p < x.packs) add_several<4>(t, x, p, begin + part, end, split, sum, entry);
    add_groups(t, x.lanes, split, sum);
    if (p < x.packs && part == 0) put(p * pack, sum);
  }
}

// A row that has so many times the entries of the others keeps its lanes long after them, once it
// has more than long_row entries for each of the groups that share it.
inline constexpr int long_row = 16, far_longer = 4;

// The rows of a tile: range(i, begin, end) says where the entries of row i are, and whether they
// are here at all; put(i, j, sum) gets the columns of row i from j on.
template <int pack, class T, class Range, class Entry, class Put>
NZ_DEVICE void add_tile_rows_several(Thread& t, int rows, int entries, const RowsOfX<T, pack>& x,
                                     Range&& range, Entry&& entry, Put&& put) {
  const int most = 32 / x.lanes;
  int split = lanes_for(t.block_size(), rows * x.lanes);
  split = split < most ? split : most;
  const int width = x.lanes * split;
  const int lane = t.lane() % x.lanes, part = t.lane() / x.lanes % split;
  const int usual = rows > 0 ? far_longer * (entries / rows + 1) : 0;
  NZ_ROLLED
  for (int base = t.warp() * (32 / width); base < rows; base += t.block_size() / width) {
    const int i = base + t.lane() / width;
    int begin = 0, end = 0;
    bool mine = i < rows && range(i, begin, end);
    // Such a row is for all lanes of the warp.
    const bool longer =
        split < most && mine && end - begin > long_row * split && end - begin > usual;
    unsigned left = t.ballot(longer);
    mine = mine && !longer;
    NZ_ROLLED
    for (int first = 0; first < x.packs; first += x.lanes) {
      const int p = first + lane;
      T sum[pack] = {};
      if (mine && p < x.packs) add_several<4>(t, x, p, begin + part, end, split, sum, entry);
      add_groups(t, x.lanes, split, sum);
      if (mine && p < x.packs && part == 0) put(i, p * pack, sum);
    }
    for (; left != 0; left &= ~(((1u << width) - 1) << (lowest(left) / width * width))) {
      const int from = lowest(left);
      const int row = t.shuffle(i, from);
      add_row_several(t, t.shuffle(begin, from), t.shuffle(end, from), x, entry,
                      [&](int j, const T(&sum)[pack]) { put(row, j, sum); });
    }
  }
}

// Whether the entries of a tile are shared out evenly, rather than its rows. Where rows differ,
// whoever has the longest keeps the others waiting; where they are alike, there may be fewer than
// groups. Otherwise rows are better: lanes side by side in one of them load neighbours in X.
template <class T>
NZ_DEVICE bool entries_evenly(int threads, int rows, int entries, int lanes, bool differ) {
  if (differ) return entries > 4 * rows;
  const int few = lanes <= 2 ? threads / 2 : sizeof(T) == 4 ? threads + threads / 2 : threads;
  return lanes > 1 && rows * lanes <= few;
}

// What add_tile_entries_several() needs of shared memory, in elements of T.
template <int pack>
NZ_HOST_DEVICE int meeting_room(int threads) {
  return threads * pack;
}

// The entries of a tile in equal parts, a group of lanes each. A part leaves the sum of a row that
// began before it in `meeting`; whoever has the row's first entries adds those of the others, in
// their order. start_of(i) is where row i begins, up to and with the end of the last one; here(i):
// its entries are in the tile, even if there are none.
template <int pack, class T, class Start, class Here, class Entry, class Put>
NZ_DEVICE void add_tile_entries_several(Thread& t, int rows, int entries, const RowsOfX<T, pack>& x,
                                        const SharedArray<T>& meeting, Start&& start_of,
                                        Here&& here, Entry&& entry, Put&& put) {
  constexpr int ahead = 4;
  const int lanes = x.lanes, groups = t.block_size() / lanes;
  const int lane = t.index() % lanes, group = t.index() / lanes;
  // An odd number, so that groups read from different banks.
  const int part = (entries + groups - 1) / groups | 1;
  const int from = group * part < entries ? group * part : entries;
  const int to = from + part < entries ? from + part : entries;
  // The last row that begins at `from` or before: those without entries come before it.
  const int first_row =
      partition_point(0, rows, [&](int i) { return int(start_of(i)) <= from; }) - 1;
  NZ_ROLLED
  for (int first = 0; first < x.packs; first += lanes) {
    const int p = first + lane;
    T sum[pack] = {};
    int row = first_row, end = 0;
    bool began_before = false;
    if (from < to) {
      began_before = int(start_of(row)) < from;
      end = start_of(row + 1);
    }
    const auto leave = [&] {
      NZ_UNROLL
      for (int q = 0; q < pack; ++q) meeting[q * t.block_size() + t.index()] = sum[q];
    };
    NZ_ROLLED
    for (int base = from; base < to; base += ahead) {
      Pack<T, pack> its[ahead];
      T value[ahead];
      index_t column[ahead];
      NZ_UNROLL
      for (int a = 0; a < ahead; ++a) {
        column[a] = -1;
        if (base + a < to) entry(base + a, column[a], value[a]);
      }
      NZ_UNROLL
      for (int a = 0; a < ahead; ++a)
        if (column[a] >= 0 && p < x.packs) its[a] = x.load(t, column[a], p);
      NZ_UNROLL
      for (int a = 0; a < ahead; ++a) {
        if (base + a == end && end < to) {
          if (began_before)
            leave();
          else if (p < x.packs)
            put(row, p * pack, sum);
          began_before = false;
          do end = start_of(++row + 1);
          while (end <= base + a);
          NZ_UNROLL
          for (int q = 0; q < pack; ++q) sum[q] = 0;
        }
        if (column[a] < 0 || p >= x.packs) continue;
        NZ_UNROLL
        for (int q = 0; q < pack; ++q) sum[q] += value[a] * its[a].at[q];
      }
    }
    if (from < to && began_before) leave();
    t.sync();
    if (from < to && !began_before && p < x.packs) {
      for (int g = group + 1; g * part < end; ++g) {
        NZ_UNROLL
        for (int q = 0; q < pack; ++q) sum[q] += meeting[q * t.block_size() + g * lanes + lane];
      }
      put(row, p * pack, sum);
    }
    // Rows without entries.
    NZ_ROLLED
    for (int i = group; i < rows; i += groups)
      if (int(start_of(i)) == int(start_of(i + 1)) && here(i) && p < x.packs) {
        const T nothing[pack] = {};
        put(i, p * pack, nothing);
      }
    if (first + lanes < x.packs) t.sync();
  }
}

// The rows of a tile, by whichever of both suits it: row i has the entries from start[i] up to
// start[i + 1]; a start with the bit `elsewhere` says that the row's entries are not here.
template <int elsewhere, int pack, class T, class Start, class Put>
NZ_DEVICE void add_tile_several(Thread& t, int rows, int entries, const RowsOfX<T, pack>& x,
                                const SharedArray<index_t>& column, const SharedArray<T>& value,
                                const SharedArray<Start>& start, const SharedArray<T>& meeting,
                                Put&& put) {
  const auto start_of = [&](int i) { return int(Start(start[i])) & ~elsewhere; };
  const auto here = [&](int i) { return (int(Start(start[i])) & elsewhere) == 0; };
  const auto entry = [&](int e, index_t& c, T& v) {
    c = column[e];
    v = value[e];
  };
  if (entries_evenly<T>(t.block_size(), rows, entries, x.lanes, x.differ))
    add_tile_entries_several(t, rows, entries, x, meeting, start_of, here, entry, put);
  else
    add_tile_rows_several(
        t, rows, entries, x,
        [&](int i, int& begin, int& end) {
          begin = start_of(i);
          end = start_of(i + 1);
          return here(i);
        },
        entry, put);
}

}  // namespace nz::NZ_HOME
