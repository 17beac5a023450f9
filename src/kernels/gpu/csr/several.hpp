#pragma once
#include "kernels/gpu/csr/balanced_work.hpp"
#include "kernels/gpu/csr/several_in_place.hpp"
#include "kernels/gpu/csr/tile_entries.hpp"
#include "kernels/gpu/several/pieces.hpp"

// CSR times several vectors, by the tiles and pieces of csr/balanced.cpp: a block brings the
// entries of its tile to shared memory, all at once, and its rows are added up from there
// (several/tile_rows.hpp).
namespace nz::NZ_HOME {

template <class T, class O, int pack>
struct CsrSeveral {
  static constexpr const char* name = "gpu/csr/balanced, several vectors";
  static constexpr int max_threads = 256, min_blocks = 3;
  CsrBalancedWork<T, O> w;
  int room;  // for entries of a tile: at most 8 a thread
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;
  SeveralPieces<T> pieces;

  static std::size_t shared_bytes(int room, int threads) {
    return static_cast<std::size_t>(room + meeting_room<pack>(threads)) * sizeof(T) +
           static_cast<std::size_t>(2 * room + 1) * sizeof(int);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> value = t.shared<T>(room);
    const SharedArray<T> meeting = t.shared<T>(meeting_room<pack>(t.block_size()));
    const SharedArray<index_t> column = t.shared<index_t>(room);
    if (t.block() < pieces.blocks) return add_piece(t, column, value, meeting);
    const Tile tile = w.tiles[t.block() - pieces.blocks];
    const SharedArray<int> start = t.shared<int>(room + 1);
    read_tile(t, w, tile, column, value, start);
    t.sync();
    add_tile_several<in_pieces>(
        t, tile.rows, tile.entries, x, column, value, start, meeting,
        [&](int i, int j, const T(&sum)[pack]) { out.put(tile.first + i, j, sum); });
  }

 private:
  NZ_DEVICE void add_piece(Thread& t, const SharedArray<index_t>& column,
                           const SharedArray<T>& value, const SharedArray<T>& meeting) const {
    const int which = pieces.mine(t, w.pieces.count);
    if (which < 0) return;
    pieces.add(t, w.pieces.list[which], which, room, x, column, value, meeting, out,
               entries_of_piece(t, w, which));
  }
};

// How so many vectors are taken, where they lie as each way has it.
template <class T, class O>
SeveralBy csr_several_way(const CsrView<T, O>& a, const LongRows<T>& long_rows, SeveralBy asked,
                          int columns) {
  const double bytes = columns * double{sizeof(T)};
  if (asked == SeveralBy::matrix)
    asked = several_by(bytes, sizeof(T), static_cast<double>(a.nnz) / std::max(1, a.rows),
                       long_rows.pieces() > 0 && !rows_are_alike(a, long_rows));
  const int least = asked == SeveralBy::runs ? least_wide_row : least_warp_row;
  return RealValue<T> && bytes >= least ? asked : SeveralBy::tiles;
}

template <class T, class O>
void csr_several(CUstream_st* stream, const CsrBalancedWork<T, O>& work,
                 const LongRows<T>& long_rows, int most, int tiles, int threads, int items,
                 SeveralBy by, const Several<const T>& x, const SeveralOutput<T>& out,
                 const simt::Scratch& scratch) {
  const double mean = static_cast<double>(work.a.nnz) / std::max(1, work.a.rows);
  if constexpr (RealValue<T>) {
    const bool in_place = rows_in_place(x, out.y);
    by = csr_several_way(work.a, long_rows, by, x.columns);
    if (by == SeveralBy::runs && in_place)
      return csr_several_runs(stream, work.a, long_rows, most, x, out, scratch);
    if (by == SeveralBy::warps && in_place)
      return csr_several_warps(stream, work.a, long_rows, most, x, out, scratch);
  }
  const int room = threads * items;
  const SeveralPieces<T> pieces = several_pieces(long_rows, threads, scratch);
  with_pack(x, [&](auto pack) {
    using K = CsrSeveral<T, O, pack()>;
    launch({.blocks = pieces.blocks + tiles,
            .threads = threads,
            .shared_bytes = K::shared_bytes(room, threads),
            .stream = stream},
           K{work, room, rows_of<pack()>(x, rows_differ(long_rows, mean)), wide_output<pack()>(out),
             pieces});
  });
}

// Y, scaled already, gets each entry's products by themselves: a warp a row, its lanes the columns
// of X, and several entries at a time where those are few.
template <class T, class O>
struct CsrSeveralScatter {
  static constexpr const char* name = "gpu/csr/balanced, several vectors, transposed";
  CsrView<T, O> a;
  T alpha;
  Several<const T> x;
  Several<T> y;
  int lanes;  // a power of 2, at most 32

  NZ_DEVICE void operator()(Thread& t) const {
    const int split = 32 / lanes, lane = t.lane() % lanes, part = t.lane() / lanes;
    const std::int64_t warps = t.global_size() / 32;
    for (std::int64_t r = t.global_index() / 32; r < a.rows; r += warps) {
      const std::int64_t begin = t.load(a.offsets + r), end = t.load(a.offsets + r + 1);
      if (begin == end) continue;
      for (int j = lane; j < x.columns; j += lanes) {
        const T its = t.load(x.at(r, j));
        for (std::int64_t e = begin + part; e < end; e += split)
          t.atomic_add(y.at(t.load(a.columns + e), j), alpha * (t.load(a.values + e) * its));
      }
    }
  }
};

template <class T, class O>
void csr_several_scatter(CUstream_st* stream, const CsrView<T, O>& a, T alpha,
                         const Several<const T>& x, const Several<T>& y) {
  int lanes = 1;
  while (lanes < x.columns && lanes < 32) lanes *= 2;
  launch({.blocks = blocks_for(a.rows, 4, 1 << 16), .threads = 128, .stream = stream},
         CsrSeveralScatter<T, O>{a, alpha, x, y, lanes});
}

}  // namespace nz::NZ_HOME
