#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/gpu/parts/long_rows.hpp"
#include "kernels/gpu/several/vectors.hpp"

// Rows of a tile times several vectors. The entries of the tile, columns and values, lie in shared
// memory; a row's lanes stand for the columns of X, `pack` of them each, so that every load of X is
// a stretch of one of its rows, and a column and a value are read once for all. Where a tile has
// few rows several such groups share a row, every `split`-th entry each, and add up by shuffles.
namespace nz::NZ_HOME {

// X by rows: `packs` packs of a row are there.
template <class T, int pack>
struct RowsOfX {
  const T* data;
  std::int64_t row;
  int packs;
  int lanes;  // a power of 2, at most 32: of one group

  NZ_DEVICE Pack<T, pack> load(Thread& t, index_t i, int p) const {
    return t.load(reinterpret_cast<const Pack<T, pack>*>(data + i * row) + p);
  }
};

template <int pack, class T>
RowsOfX<T, pack> rows_of(const Several<const T>& x) {
  const int packs = x.columns / pack;
  int lanes = 1;
  while (lanes < packs && lanes < 32) lanes *= 2;
  return {x.data, x.row, packs, lanes};
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

// Entries for each of the groups that share a row, beyond which the whole warp takes it.
inline constexpr int long_row = 16;

// The rows of a tile: range(i, begin, end) says where the entries of row i are, and whether they
// are here at all; put(i, j, sum) gets the columns of row i from j on.
template <int pack, class T, class Range, class Entry, class Put>
NZ_DEVICE void add_tile_rows_several(Thread& t, int rows, const RowsOfX<T, pack>& x, Range&& range,
                                     Entry&& entry, Put&& put) {
  const int most = 32 / x.lanes;
  int split = lanes_for(t.block_size(), rows * x.lanes);
  split = split < most ? split : most;
  const int width = x.lanes * split;
  const int lane = t.lane() % x.lanes, part = t.lane() / x.lanes % split;
  NZ_ROLLED
  for (int base = t.warp() * (32 / width); base < rows; base += t.block_size() / width) {
    const int i = base + t.lane() / width;
    int begin = 0, end = 0;
    bool mine = i < rows && range(i, begin, end);
    // A row that would keep its lanes long after the others is for all lanes of the warp.
    const bool longer = split < most && mine && end - begin > long_row * split;
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

// For one warp: a piece of a long row whose entries take long to decode: 32 at a time, one a lane,
// handed on by shuffles; put(j, sum) gets the piece's part of the columns from j on.
template <int pack, class T, class Entry, class Put>
NZ_DEVICE void add_coded_piece_several(Thread& t, int entries, const RowsOfX<T, pack>& x,
                                       Entry&& entry, Put&& put) {
  const int split = 32 / x.lanes, lane = t.lane() % x.lanes, part = t.lane() / x.lanes;
  NZ_ROLLED
  for (int first = 0; first < x.packs; first += x.lanes) {
    const int p = first + lane;
    T sum[pack] = {};
    NZ_ROLLED
    for (int base = 0; base < entries; base += 32) {
      index_t mine = -1;
      T its_value = 0;
      if (base + t.lane() < entries) entry(base + t.lane(), mine, its_value);
      NZ_UNROLL_BY(4)
      for (int e = 0; e < 32; e += split) {
        const index_t column = t.shuffle(mine, e + part);
        const T value = t.shuffle(its_value, e + part);
        if (column < 0 || p >= x.packs) continue;
        const Pack<T, pack> its = x.load(t, column, p);
        NZ_UNROLL
        for (int q = 0; q < pack; ++q) sum[q] += value * its.at[q];
      }
    }
    add_groups(t, x.lanes, split, sum);
    if (p < x.packs && part == 0) put(p * pack, sum);
  }
}

// A piece's part goes to partial[piece * columns + j].
template <int pack, class T>
NZ_DEVICE void put_partial(T* partial, int which, int columns, int first, const T (&sum)[pack]) {
  NZ_UNROLL
  for (int q = 0; q < pack; ++q)
    if (first + q < columns) partial[std::int64_t{which} * columns + first + q] = sum[q];
}

// Sums of pieces: partial[piece * columns + j]. Those of a row are added in their order.
template <class T>
struct AddPieces {
  static constexpr const char* name = "add pieces of long rows, several vectors";
  const Piece* list;
  int pieces;
  const T* partial;
  SeveralOutput<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const int columns = out.y.columns;
    for (std::int64_t k = t.global_index(); k < std::int64_t{pieces} * columns;
         k += t.global_size()) {
      const int which = static_cast<int>(k / columns), j = static_cast<int>(k % columns);
      const Piece p = list[which];
      if (p.first != which) continue;
      T sum = 0;
      NZ_UNROLL_BY(8)
      for (int i = 0; i < p.pieces; ++i) sum += partial[std::int64_t{which + i} * columns + j];
      out.put(p.row, j, sum);
    }
  }
};

template <class T>
void add_pieces(CUstream_st* stream, const LongRows<T>& rows, const T* partial,
                const SeveralOutput<T>& out) {
  const std::int64_t n = std::int64_t{rows.pieces()} * out.y.columns;
  launch({.blocks = blocks_for(n, 256, 1 << 16), .threads = 256, .stream = stream},
         AddPieces<T>{rows.list(), rows.pieces(), partial, out});
}

}  // namespace nz::NZ_HOME
