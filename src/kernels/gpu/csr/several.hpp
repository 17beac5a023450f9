#pragma once
#include "kernels/gpu/csr/balanced_work.hpp"
#include "kernels/gpu/csr/several_in_place.hpp"
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
    if (tile.gaps == 0)
      read<false>(t, tile, column, value, start);
    else
      read<true>(t, tile, column, value, start);
    t.sync();
    add_tile_several<in_pieces>(
        t, tile.rows, tile.entries, x, column, value, start, meeting,
        [&](int i, int j, const T(&sum)[pack]) { out.put(tile.first + i, j, sum); });
  }

 private:
  static constexpr int most_items = 8;

  template <bool gaps>
  NZ_DEVICE void read(Thread& t, const Tile& tile, const SharedArray<index_t>& column,
                      const SharedArray<T>& value, const SharedArray<int>& start) const {
    const index_t* columns = w.a.columns + tile.entry;
    const T* values = w.a.values + tile.entry;
    // All of it is on its way before any of it is stored.
    index_t c[most_items];
    T v[most_items];
    NZ_UNROLL
    for (int j = 0; j < most_items; ++j) {
      const int i = j * t.block_size() + t.index();
      if (i < tile.entries) c[j] = t.load_streaming(columns + w.template place<gaps>(tile, i));
    }
    NZ_UNROLL
    for (int j = 0; j < most_items; ++j) {
      const int i = j * t.block_size() + t.index();
      if (i < tile.entries) v[j] = t.load_streaming(values + w.template place<gaps>(tile, i));
    }
    for (int i = t.index(); i <= tile.rows; i += t.block_size())
      start[i] = w.template start_of<gaps>(t, tile, i);
    NZ_UNROLL
    for (int j = 0; j < most_items; ++j) {
      const int i = j * t.block_size() + t.index();
      if (i >= tile.entries) continue;
      column[i] = c[j];
      value[i] = v[j];
    }
  }

  NZ_DEVICE void add_piece(Thread& t, const SharedArray<index_t>& column,
                           const SharedArray<T>& value, const SharedArray<T>& meeting) const {
    const int which = pieces.mine(t, w.pieces.count);
    if (which < 0) return;
    const Piece p = w.pieces.list[which];
    pieces.add(t, p, which, room, x, column, value, meeting, out, [&](int e, index_t& c, T& v) {
      c = t.load_streaming(w.a.columns + p.entry + e);
      v = t.load_streaming(w.a.values + p.entry + e);
    });
  }
};

template <class T, class O>
void csr_several(CUstream_st* stream, const CsrBalancedWork<T, O>& work,
                 const LongRows<T>& long_rows, int most, int tiles, int threads, int items,
                 SeveralBy by, const Several<const T>& x, const SeveralOutput<T>& out,
                 const simt::Scratch& scratch) {
  const double mean = static_cast<double>(work.a.nnz) / std::max(1, work.a.rows);
  if constexpr (RealValue<T>) {
    if (by == SeveralBy::matrix)
      by = several_by(x.columns * double{sizeof(T)}, sizeof(T), mean,
                      long_rows.pieces() > 0 && !rows_are_alike(work.a, long_rows));
    if (by == SeveralBy::runs && wide_rows(x, out.y, least_wide_row))
      return csr_several_runs(stream, work.a, long_rows, most, x, out, scratch);
    if (by == SeveralBy::warps && wide_rows(x, out.y, least_warp_row))
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
