#include "kernels/gpu/bsr/several_squares.hpp"

#include <algorithm>

#include "base/instantiate.hpp"
#include "kernels/gpu/several/lanes.hpp"
#include "kernels/gpu/several/tile_rows.hpp"

// A group of lanes takes some rows of a line of blocks, as in bsr/several.hpp, but the sides of
// blocks and the lanes of a group are known when this is compiled: what a few columns of a block
// need, their rows of X and all their values, is on its way before any of it is used, the values in
// pieces of 16 bytes where their rows are multiples of that.
namespace nz::NZ_HOME {
namespace {

constexpr int threads = 128;

template <class T, class O, int side, int lanes>
struct BsrSeveralSquares {
  static constexpr const char* name = "gpu/bsr/balanced, several vectors, squares";
  static constexpr int max_threads = threads, min_blocks = 6;
  static constexpr int pack = 16 / int(sizeof(T));
  // Rows of a block that a group takes, and how many groups that makes; columns at a time.
  static constexpr int height = square_rows_of_group(side);
  static constexpr int parts = (side + height - 1) / height;
  static constexpr int chunk = side <= 5 ? side : side / 2;
  static constexpr bool in_pieces = chunk * sizeof(T) % 16 == 0;
  BsrView<T, O> a;
  int split;  // groups that share a part, lanes * split is at most 32
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;

  NZ_DEVICE void operator()(Thread& t) const {
    const int lane = t.lane() % lanes, share = t.lane() / lanes % split;
    const std::int64_t which = t.global_index() / (lanes * split);
    const std::int64_t line = which / parts;
    const bool mine = line < a.grid_rows();
    const int first = static_cast<int>(which % parts) * height;  // row of the block
    const std::int64_t begin = mine ? t.load(a.offsets + line) : O(0);
    const int n = mine ? static_cast<int>(t.load(a.offsets + line + 1) - begin) : 0;
    NZ_ROLLED
    for (int p = lane; p - lane < x.packs; p += lanes) {
      const bool there = p < x.packs;
      T sum[height][pack] = {};
      if (share < n) add_line(t, begin, n, share, first, there ? p : 0, sum);
      NZ_UNROLL
      for (int r = 0; r < height; ++r) add_groups(t, lanes, split, sum[r]);
      if (!mine || !there || share != 0) continue;
      NZ_UNROLL
      for (int r = 0; r < height; ++r) {
        const std::int64_t row = line * side + first + r;
        if (first + r < side && row < a.rows) out.put(row, p * pack, sum[r]);
      }
    }
  }

 private:
  NZ_DEVICE void add_line(Thread& t, std::int64_t begin, int n, int share, int first, int p,
                          T (&sum)[height][pack]) const {
    const index_t* const columns = a.columns + begin;
    const T* const values = a.values + begin * (side * side);
    index_t column = t.load(columns + share);
    NZ_ROLLED
    for (int b = share; b < n; b += split) {
      const index_t next = t.load(columns + (b + split < n ? b + split : b));
      const index_t base = column * side;
      const T* const block = values + std::int64_t{b} * (side * side);
      if (base <= a.cols - side)
        add_block<true>(t, block, base, first, p, sum);
      else
        add_block<false>(t, block, base, first, p, sum);
      column = next;
    }
  }

  // `whole`: all of its columns are the matrix's.
  template <bool whole>
  NZ_DEVICE void add_block(Thread& t, const T* block, index_t base, int first, int p,
                           T (&sum)[height][pack]) const {
    NZ_UNROLL
    for (int from = 0; from < side; from += chunk) {
      Pack<T, pack> its[chunk];
      T value[height][chunk];
      NZ_UNROLL
      for (int c = 0; c < chunk; ++c) {
        const bool there = whole || from + c < a.cols - base;
        its[c] = x.load(t, there ? base + from + c : a.cols - 1, p);
      }
      NZ_UNROLL
      for (int r = 0; r < height; ++r) {
        // Rows behind the block's last are that once more, and dropped.
        const int row = side % height == 0 || first + r < side ? first + r : side - 1;
        read(t, block + row * side + from, value[r]);
      }
      NZ_UNROLL
      for (int c = 0; c < chunk; ++c) {
        if (!whole && from + c >= a.cols - base) break;
        NZ_UNROLL
        for (int r = 0; r < height; ++r) {
          NZ_UNROLL
          for (int q = 0; q < pack; ++q) sum[r][q] += value[r][c] * its[c].at[q];
        }
      }
    }
  }

  static NZ_DEVICE void read(Thread& t, const T* from, T (&value)[chunk]) {
    if constexpr (in_pieces) {
      NZ_UNROLL
      for (int c = 0; c < chunk; c += pack) {
        const auto piece = t.load(reinterpret_cast<const Pack<T, pack>*>(from + c));
        NZ_UNROLL
        for (int q = 0; q < pack; ++q) value[c + q] = piece.at[q];
      }
    } else {
      NZ_UNROLL
      for (int c = 0; c < chunk; ++c) value[c] = t.load(from + c);
    }
  }
};

template <class Body>
void with_side(int side, Body&& body) {
  switch (side) {
    case 2:
      return body(std::integral_constant<int, 2>());
    case 3:
      return body(std::integral_constant<int, 3>());
    case 4:
      return body(std::integral_constant<int, 4>());
    case 5:
      return body(std::integral_constant<int, 5>());
    case 6:
      return body(std::integral_constant<int, 6>());
    default:
      return body(std::integral_constant<int, 8>());
  }
}

// Blocks that a group shall have of a line at least, where groups share one.
constexpr double blocks_of_group = 2;

}  // namespace

template <class T, class O>
void bsr_several_squares(CUstream_st* stream, const BsrView<T, O>& a, const Several<const T>& x,
                         const SeveralOutput<T>& out) {
  constexpr int pack = 16 / int(sizeof(T));
  const RowsOfX<T, pack> rows = rows_of<pack>(x);
  const std::int64_t lines = a.grid_rows();
  const double mean =
      static_cast<double>(a.blocks) / static_cast<double>(std::max<std::int64_t>(lines, 1));
  with_lanes<2>(rows.lanes, [&](auto lanes) {
    int split = 1;
    while (lanes() * split < 32 && 2 * split * blocks_of_group <= mean) split *= 2;
    with_side(a.block_rows, [&](auto side) {
      using K = BsrSeveralSquares<T, O, side(), lanes()>;
      launch({.blocks = blocks_for(lines * K::parts * lanes() * split, threads),
              .threads = threads,
              .stream = stream},
             K{a, split, rows, wide_output<pack>(out)});
    });
  });
}

#define NZ_INSTANTIATE(T, O)                                                                     \
  template void bsr_several_squares(CUstream_st*, const BsrView<T, O>&, const Several<const T>&, \
                                    const SeveralOutput<T>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
