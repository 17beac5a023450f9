#pragma once
#include <algorithm>

#include <nonzero/formats/bsr.hpp>

#include "kernels/gpu/several/tile_rows.hpp"

// Blocks times several vectors. A group of lanes takes some rows of a line of blocks: what it loads
// of X serves all of them, and the lines of X that one block needs follow each other. Where lines
// have many blocks and X has few columns, several groups share a line and add up by shuffles.
namespace nz::NZ_HOME {

template <class T, class O, int pack, int height>
struct BsrSeveral {
  static constexpr const char* name = "gpu/bsr/balanced, several vectors";
  static constexpr int max_threads = 128, min_blocks = 6;
  BsrView<T, O> a;
  int parts;  // of a line, `height` rows each
  int split;  // groups that share a part, x.lanes * split is at most 32
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;

  NZ_DEVICE void operator()(Thread& t) const {
    const int width = x.lanes * split, lane = t.lane() % x.lanes,
              share = t.lane() / x.lanes % split;
    const std::int64_t which = t.global_index() / width;
    const std::int64_t line = which / parts;
    const bool mine = line < a.grid_rows();
    const int first = static_cast<int>(which % parts) * height;  // row of the block
    const std::int64_t begin = mine ? t.load(a.offsets + line) : O(0),
                       end = mine ? t.load(a.offsets + line + 1) : O(0);
    NZ_ROLLED
    for (int from = 0; from < x.packs; from += x.lanes) {
      const int p = from + lane;
      T sum[height][pack] = {};
      if (p < x.packs) {
        NZ_ROLLED
        for (std::int64_t b = begin + share; b < end; b += split) add_block(t, b, first, p, sum);
      }
      NZ_UNROLL
      for (int r = 0; r < height; ++r) add_groups(t, x.lanes, split, sum[r]);
      if (!mine || p >= x.packs || share != 0) continue;
      NZ_UNROLL
      for (int r = 0; r < height; ++r) {
        const std::int64_t row = line * a.block_rows + first + r;
        if (first + r < a.block_rows && row < a.rows) out.put(row, p * pack, sum[r]);
      }
    }
  }

 private:
  NZ_DEVICE void add_block(Thread& t, std::int64_t b, int first, int p,
                           T (&sum)[height][pack]) const {
    const int cols = a.block_cols;
    const index_t base = t.load(a.columns + b) * cols;
    const int width = cols < a.cols - base ? cols : a.cols - base;
    const T* values = a.values + b * (std::int64_t{a.block_rows} * cols) + first * cols;
    NZ_UNROLL_BY(4)
    for (int c = 0; c < width; ++c) {
      const Pack<T, pack> its = x.load(t, base + c, p);
      NZ_UNROLL
      for (int r = 0; r < height; ++r) {
        if (first + r >= a.block_rows) continue;
        const T value = t.load(values + r * cols + c);
        NZ_UNROLL
        for (int q = 0; q < pack; ++q) sum[r][q] += value * its.at[q];
      }
    }
  }
};

template <class T, class O>
void bsr_several(CUstream_st* stream, const BsrView<T, O>& a, const Several<const T>& x,
                 const SeveralOutput<T>& out) {
  constexpr int most = 16 / int(sizeof(T));
  const auto run = [&]<int pack, int height>() {
    const RowsOfX<T, pack> rows = rows_of<pack>(x);
    const std::int64_t lines = a.grid_rows();
    const double mean =
        static_cast<double>(a.blocks) / static_cast<double>(std::max<std::int64_t>(lines, 1));
    int split = 1;
    while (rows.lanes * split < 32 && 4 * split <= mean) split *= 2;
    const int parts = (a.block_rows + height - 1) / height;
    launch({.blocks = blocks_for(lines * parts * rows.lanes * split, 128),
            .threads = 128,
            .stream = stream},
           BsrSeveral<T, O, pack, height>{a, parts, split, rows, wide_output<pack>(out)});
  };
  const auto with_height = [&]<int pack>() {
    // Rows of a block in equal parts of at most four.
    const int parts = (a.block_rows + 3) / 4;
    switch ((a.block_rows + parts - 1) / parts) {
      case 1:
        return run.template operator()<pack, 1>();
      case 2:
        return run.template operator()<pack, 2>();
      case 3:
        return run.template operator()<pack, 3>();
      default:
        return run.template operator()<pack, 4>();
    }
  };
  with_pack(x, [&](auto pack) { with_height.template operator()<pack() == most ? most : 1>(); });
}

}  // namespace nz::NZ_HOME
