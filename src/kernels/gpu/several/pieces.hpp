#pragma once
#include <cstdint>

#include "kernels/gpu/parts/long_rows.hpp"
#include "kernels/gpu/several/tile_rows.hpp"

// Pieces of long rows times several vectors, each the work of a warp or, where they are few, of a
// block. The pieces of a row meet as those of one vector do (parts/meeting.hpp): the last to come
// adds up all parts in their order.
namespace nz::NZ_HOME {

// Who takes a piece, and where in shared memory its entries go.
struct PieceTeam {
  bool block;
  int threads, index;
  int at, room;

  NZ_DEVICE PieceTeam(Thread& t, bool by_block, int block_room)
      : block(by_block),
        threads(block ? t.block_size() : 32),
        index(block ? t.index() : t.lane()),
        at(block ? 0 : t.warp() * (block_room / t.warps())),
        room(block ? block_room : block_room / t.warps()) {}
  NZ_DEVICE void sync(Thread& t) const {
    if (block)
      t.sync();
    else
      t.sync_warp();
  }
  // The warp that has the sums.
  NZ_DEVICE bool finishes(Thread& t) const { return !block || t.warp() == 0; }
};

// Adds up over the warps of a block, whose first `lanes` lanes have a pack each: the first warp has
// the sums then.
template <int pack, class T>
NZ_DEVICE void add_warps(Thread& t, int lanes, T (&sum)[pack], const SharedArray<T>& meeting) {
  const bool has = t.lane() < lanes;
  NZ_UNROLL
  for (int q = 0; q < pack; ++q)
    if (has) meeting[(t.warp() * pack + q) * lanes + t.lane()] = sum[q];
  t.sync();
  if (t.warp() != 0 || !has) return;
  for (int w = 1; w < t.warps(); ++w) {
    NZ_UNROLL
    for (int q = 0; q < pack; ++q) sum[q] += meeting[(w * pack + q) * lanes + t.lane()];
  }
}

// The sums of a piece. Its entries come to shared memory first, side by side and all at once, as
// many as there is room for; put(j, sum) gets the columns from j on.
template <int pack, class T, class Entry, class Put>
NZ_DEVICE void add_piece_several(Thread& t, const PieceTeam& team, int entries,
                                 const RowsOfX<T, pack>& x, const SharedArray<index_t>& column,
                                 const SharedArray<T>& value, const SharedArray<T>& meeting,
                                 Entry&& entry, Put&& put) {
  constexpr int at_once = 4;
  const int split = 32 / x.lanes, lane = t.lane() % x.lanes, part = t.lane() / x.lanes;
  const int group = team.index / x.lanes, groups = team.threads / x.lanes;
  NZ_ROLLED
  for (int first = 0; first < x.packs; first += x.lanes) {
    const int p = first + lane;
    T sum[pack] = {};
    NZ_ROLLED
    for (int base = 0; base < entries; base += team.room) {
      const int n = entries - base < team.room ? entries - base : team.room;
      NZ_ROLLED
      for (int from = team.index; from < n; from += team.threads * at_once) {
        index_t c[at_once];
        T v[at_once];
        NZ_UNROLL
        for (int j = 0; j < at_once; ++j)
          if (from + team.threads * j < n) entry(base + from + team.threads * j, c[j], v[j]);
        NZ_UNROLL
        for (int j = 0; j < at_once; ++j)
          if (from + team.threads * j < n) {
            column[team.at + from + team.threads * j] = c[j];
            value[team.at + from + team.threads * j] = v[j];
          }
      }
      team.sync(t);
      if (p < x.packs)
        add_several<4>(t, x, p, group, n, groups, sum, [&](int e, index_t& c, T& v) {
          c = column[team.at + e];
          v = value[team.at + e];
        });
      team.sync(t);
    }
    add_groups(t, x.lanes, split, sum);
    if (team.block) {
      add_warps(t, x.lanes, sum, meeting);
      if (first + x.lanes < x.packs) t.sync();
    }
    if (p < x.packs && part == 0 && team.finishes(t)) put(p * pack, sum);
  }
}

// What becomes of it: a piece that is all of its row goes to Y, others to partial[piece * columns +
// j], and the last of a row to Y.
template <class T>
struct SeveralPieces {
  T* partial;
  unsigned* arrived;  // one a piece, that of the first of a row counts
  int blocks;         // the first of the grid, which take them
  bool by_block;      // one each, or one a warp

  NZ_DEVICE int mine(Thread& t, int pieces) const {
    const int p = by_block ? t.block() : t.block() * t.warps() + t.warp();
    return p < pieces ? p : -1;
  }

  template <int pack, class Entry>
  NZ_DEVICE void add(Thread& t, const Piece& piece, int which, int room, const RowsOfX<T, pack>& x,
                     const SharedArray<index_t>& column, const SharedArray<T>& value,
                     const SharedArray<T>& meeting, const SeveralOutput<T>& out,
                     Entry&& entry) const {
    const PieceTeam team(t, by_block, room);
    add_piece_several(t, team, piece.entries, x, column, value, meeting, entry,
                      [&](int first, const T(&sum)[pack]) { put(piece, which, first, sum, out); });
    finish(t, piece, out);
  }

  // The sums of a piece, for the columns from the given one on.
  template <int pack>
  NZ_DEVICE void put(const Piece& piece, int which, int first, const T (&sum)[pack],
                     const SeveralOutput<T>& out) const {
    if (piece.pieces == 1) return out.put(piece.row, first, sum);
    const int columns = out.y.columns;
    NZ_UNROLL
    for (int q = 0; q < pack; ++q)
      if (first + q < columns) partial[std::int64_t{which} * columns + first + q] = sum[q];
  }

  // Once they are there: the last piece of a row to come adds up all.
  NZ_DEVICE void finish(Thread& t, const Piece& piece, const SeveralOutput<T>& out) const {
    const int columns = out.y.columns;
    if (piece.pieces == 1 || (by_block && t.warp() != 0)) return;
    Meeting::publish_lanes(t);
    const Meeting row{arrived + piece.first, piece.pieces};
    if (!row.last_warp(t)) return;
    for (int j = t.lane(); j < columns; j += 32) {
      const T* const parts = partial + std::int64_t{piece.first} * columns + j;
      T sum = 0;
      NZ_UNROLL_BY(8)
      for (int i = 0; i < piece.pieces; ++i)
        sum += t.load_coherent(parts + std::int64_t{i} * columns);
      out.put(piece.row, j, sum);
    }
    if (t.lane() == 0) row.reset();
  }
};

// Whether the rows of tiles differ much in length, by their mean, and by those that are too long
// for tiles: of more than 128 entries, where the matrix is not small.
template <class T>
bool rows_differ(const LongRows<T>& rows, double mean) {
  return rows.cut() || (rows.pieces() > 0 && mean < 77);
}

template <class T>
simt::ScratchSize several_pieces_scratch(const LongRows<T>& rows, int columns) {
  if (!rows.cut()) return {};
  const auto n = static_cast<std::size_t>(rows.pieces());
  return simt::scratch_for<T>(n, n * static_cast<std::size_t>(columns));
}

template <class T>
SeveralPieces<T> several_pieces(const LongRows<T>& rows, int threads,
                                const simt::Scratch& scratch) {
  // Where they are few, nobody waits for a warp that has long to go.
  const bool few = rows.pieces() <= 16 * simt::backend(current_device()).info().processors;
  return {scratch.template values<T>(), scratch.counters,
          few ? rows.pieces() : blocks_for(rows.pieces(), threads / 32), few};
}

}  // namespace nz::NZ_HOME
