#include "kernels/gpu/csr/several_columns.hpp"

#include <algorithm>

#include "base/instantiate.hpp"
#include "kernels/gpu/csr/tile_entries.hpp"
#include "kernels/gpu/several/pieces.hpp"

// X and Y by columns, as they lie. A block brings the entries of its tile to shared memory once;
// then a lane takes a row, or a few lanes one, and a group of columns, whose sums it keeps. Lanes
// side by side have rows that follow each other: where such rows have columns that follow each
// other, every load of X is a stretch of one of its columns, and so is every store to Y. Elsewhere
// this loses to X brought into rows, where all that an entry needs lies together: plans say which
// (the parameter `columns`).
namespace nz::NZ_HOME {
namespace {

template <class T, class O, int wide>
struct CsrSeveralColumns {
  static constexpr const char* name = "gpu/csr/balanced, several vectors by columns";
  static constexpr int max_threads = 256, min_blocks = sizeof(T) == 4 && wide < 8 ? 4 : 3;
  static constexpr int ahead =
      wide == 2 ? 4 : 2;  // entries of a row whose elements are on their way
  CsrBalancedWork<T, O> w;
  int room;   // for entries of a tile
  int lanes;  // of a row, a power of 2
  int parts;  // blocks that share a tile, each with columns of its own
  int each;   // groups of columns of such a block
  Several<const T> x;
  RowsOfX<T, 1> x_of_pieces;
  SeveralOutput<T> out;
  SeveralPieces<T> pieces;

  static std::size_t shared_bytes(int room, int threads) {
    return static_cast<std::size_t>(room + meeting_room<1>(threads)) * sizeof(T) +
           static_cast<std::size_t>(2 * room + 1) * sizeof(int);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> value = t.shared<T>(room);
    const SharedArray<T> meeting = t.shared<T>(meeting_room<1>(t.block_size()));
    const SharedArray<index_t> column = t.shared<index_t>(room);
    if (t.block() < pieces.blocks) {
      const int which = pieces.mine(t, w.pieces.count);
      if (which >= 0)
        pieces.add(t, w.pieces.list[which], which, room, x_of_pieces, column, value, meeting, out,
                   entries_of_piece(t, w, which));
      return;
    }
    const int block = t.block() - pieces.blocks;
    const Tile tile = w.tiles[block / parts];
    const SharedArray<int> start = t.shared<int>(room + 1);
    read_tile(t, w, tile, column, value, start);
    t.sync();
    const int first = block % parts * each * wide;
    const int left = x.columns - first < each * wide ? x.columns - first : each * wide;
    add_rows(t, tile, first, left, column, value, start);
  }

 private:
  // The rows of a tile times `count` columns from the given one on: lanes go along the rows, and
  // on to the next group of columns.
  NZ_DEVICE void add_rows(Thread& t, const Tile& tile, int first_column, int count,
                          const SharedArray<index_t>& column, const SharedArray<T>& value,
                          const SharedArray<int>& start) const {
    const int lane = t.lane() % lanes;
    const int all = tile.rows * ((count + wide - 1) / wide);
    NZ_ROLLED
    for (int base = t.warp() * (32 / lanes); base < all; base += t.block_size() / lanes) {
      const int u = base + t.lane() / lanes;
      const int group = u / tile.rows, i = u - group * tile.rows;
      const int begin = u < all ? int(start[i]) : in_pieces;
      const bool mine = (begin & in_pieces) == 0;
      const int end = mine ? int(start[i + 1]) & ~in_pieces : 0;
      const int j = first_column + group * wide;
      const int left = x.columns - j < wide ? x.columns - j : wide;
      T sum[wide] = {};
      if (mine) add_row(t, x.data + j * x.column, left, column, value, begin + lane, end, sum);
      add_groups(t, 1, lanes, sum);
      if (!mine || lane != 0) continue;
      T* const to = out.y.data + tile.first + i + j * out.y.column;
      NZ_UNROLL
      for (int q = 0; q < wide; ++q)
        if (q < left)
          to[q * out.y.column] = combine(out.alpha, sum[q], out.beta, to + q * out.y.column);
    }
  }

  // Elements behind the last column or entry are those of the last, loaded without a condition, so
  // that nothing comes between loads, and dropped.
  NZ_DEVICE void add_row(Thread& t, const T* from, int left, const SharedArray<index_t>& column,
                         const SharedArray<T>& value, int begin, int end, T (&sum)[wide]) const {
    NZ_ROLLED
    for (int e = begin; e < end; e += ahead * lanes) {
      T its[ahead][wide];
      NZ_UNROLL
      for (int a = 0; a < ahead; ++a) {
        const int at = e + a * lanes < end ? e + a * lanes : e;
        const T* element = from + column[at];
        NZ_UNROLL
        for (int q = 0; q < wide; ++q) {
          its[a][q] = t.load(element);
          if (q + 1 < left) element += x.column;
        }
      }
      NZ_UNROLL
      for (int a = 0; a < ahead; ++a) {
        if (e + a * lanes >= end) break;
        const T v = value[e + a * lanes];
        NZ_UNROLL
        for (int q = 0; q < wide; ++q) sum[q] += v * its[a][q];
      }
    }
  }
};

// Entries that a lane shall have of a row at least: fewer, and lanes wait for each other more than
// they load side by side.
constexpr double entries_a_lane = 8;

int lanes_of_row(double mean) {
  int lanes = 1;
  while (lanes < 8 && mean >= 2 * entries_a_lane * lanes) lanes *= 2;
  return lanes;
}

// Blocks that keep a processor busy.
constexpr int blocks_a_processor = 6;

}  // namespace

template <class T, class O>
void csr_several_columns(CUstream_st* stream, const CsrBalancedWork<T, O>& work,
                         const LongRows<T>& long_rows, int tiles, int threads, int items, int lanes,
                         const Several<const T>& x, const SeveralOutput<T>& out,
                         const simt::Scratch& scratch) {
  const int room = threads * items;
  const double mean = static_cast<double>(work.a.nnz) / std::max(1, work.a.rows);
  const SeveralPieces<T> pieces = several_pieces(long_rows, threads, scratch);
  const auto with = [&]<int wide>() {
    using K = CsrSeveralColumns<T, O, wide>;
    const int groups = (x.columns + wide - 1) / wide;
    const int busy = blocks_a_processor * simt::backend(current_device()).info().processors;
    const int wanted = std::clamp(busy / std::max(1, tiles), 1, groups);
    const int each = (groups + wanted - 1) / wanted, parts = (groups + each - 1) / each;
    launch({.blocks = pieces.blocks + tiles * parts,
            .threads = threads,
            .shared_bytes = K::shared_bytes(room, threads),
            .stream = stream},
           K{work, room, lanes > 0 ? lanes : lanes_of_row(mean), parts, each, x, rows_of<1>(x), out,
             pieces});
  };
  if (x.columns <= 2)
    with.template operator()<2>();
  else if (x.columns <= 4)
    with.template operator()<4>();
  else
    with.template operator()<8>();
}

#define NZ_INSTANTIATE(T, O)                                                              \
  template void csr_several_columns(                                                      \
      CUstream_st*, const CsrBalancedWork<T, O>&, const LongRows<T>&, int, int, int, int, \
      const Several<const T>&, const SeveralOutput<T>&, const simt::Scratch&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
