#pragma once
#include <algorithm>
#include <cstdint>

#include <nonzero/formats/block_grid.hpp>

#include "kernels/gpu/several/vectors.hpp"
#include "simt/simt.hpp"

// GCSB times several vectors, and its transpose from the same copy: what izawa2023 §5.2 leaves to
// future work (SpMM and SpMMT). Where one vector has a thread a block, several have a team of
// `lanes` lanes, one a column of X: a place and a value are read once for all of them, and rows of
// X and Y are stretches of memory, which is the other thing that §5.2 asks for. Both directions
// differ in nothing but the roles of rows and columns, as for one vector.
// A team adds up a block of at most 64 rows in shared memory and then adds what it touched to Y, an
// atomic for each row and column of the block instead of each entry. Larger blocks add every entry.
namespace nz::NZ_HOME {

template <bool Transposed, class T>
struct BlockTimesSeveral {
  static constexpr int most_digits = 6;  // a bit for each row of a block
  T alpha;
  Several<const T> x;
  Several<T> y;  // beta y already
  BlockGrid grid;
  int lanes;             // of a team: a power of 2, at most 32
  std::int64_t columns;  // stretches of `lanes` columns

  NZ_DEVICE bool near() const { return grid.digits <= most_digits; }

  // Which of `blocks` blocks, in their order, and which stretch of columns a team works on; those
  // of a warp work on neighbours, and a block's stretches are close in time. False where all are
  // done; then for all of a warp, as warps go through their work together.
  struct Place {
    std::int64_t block;
    std::int64_t column;
  };
  NZ_DEVICE bool place(Thread& t, std::int64_t blocks, std::int64_t round, Place& p) const {
    const int teams = 32 / lanes;
    const std::int64_t warp = t.global_index() / 32 + round * (t.global_size() / 32);
    const std::int64_t first = warp / columns * teams;
    p = {first + t.lane() / lanes, warp % columns * lanes + t.lane() % lanes};
    return first < blocks;
  }

  // One block's sums: `tile` is the thread block's shared memory.
  struct Sums {
    std::uint64_t touched = 0;  // rows of the block that have a sum
    std::int64_t out = 0, in = 0;
    std::int64_t column = 0;
    int base = 0;
  };
  NZ_DEVICE Sums begin(Thread& t, index_t number, std::int64_t column) const {
    const index_t wide = grid.block_cols();
    const std::int64_t top = std::int64_t{number / wide} << grid.digits,
                       left = std::int64_t{number % wide} << grid.digits;
    const int team = t.index() / lanes;
    return {0, Transposed ? left : top, Transposed ? top : left, column,
            (team << grid.digits) * lanes + t.lane() % lanes};
  }
  NZ_DEVICE void add(Thread& t, Sums& s, const SharedArray<T>& tile, std::uint32_t place,
                     T value) const {
    const int row = static_cast<int>(place >> grid.digits),
              column = static_cast<int>(place & ((1u << grid.digits) - 1u));
    const int to = Transposed ? column : row, from = Transposed ? row : column;
    const T product = value * t.load(x.at(s.in + from, s.column));
    if (!near()) {
      t.atomic_add(y.at(s.out + to, s.column), alpha * product);
      return;
    }
    const int at = s.base + to * lanes;
    const std::uint64_t bit = std::uint64_t{1} << to;
    tile[at] = s.touched & bit ? T(tile[at]) + product : product;
    s.touched |= bit;
  }
  NZ_DEVICE void end(Thread& t, const Sums& s, const SharedArray<T>& tile) const {
    for (int to = 0; to < grid.beta(); ++to) {
      if (s.touched >> to == 0) break;
      if (s.touched >> to & 1)
        t.atomic_add(y.at(s.out + to, s.column), alpha * T(tile[s.base + to * lanes]));
    }
  }
  NZ_DEVICE SharedArray<T> tile(Thread& t) const {
    return t.shared<T>(near() ? t.block_size() << grid.digits : 1);
  }
};

// How to launch it: launch(config, kernel made of what this returns).
template <bool Transposed, class T>
struct SeveralLaunch {
  BlockTimesSeveral<Transposed, T> parts;
  Launch how;

  SeveralLaunch(CUstream_st* stream, const BlockGrid& grid, std::int64_t blocks, T alpha,
                const Several<const T>& x, const Several<T>& y)
      : parts{alpha, x, y, grid, 1, 1} {
    while (parts.lanes < y.columns && parts.lanes < 32) parts.lanes *= 2;
    parts.columns = (std::int64_t{y.columns} + parts.lanes - 1) / parts.lanes;
    // Tiles of at most 32 KB a thread block.
    const bool near = grid.digits <= BlockTimesSeveral<Transposed, T>::most_digits;
    const std::size_t each = near ? sizeof(T) << grid.digits : 0;
    const int threads =
        near ? static_cast<int>(std::clamp<std::size_t>(32768 / each / 32 * 32, 32, 128)) : 128;
    const int teams = 32 / parts.lanes;
    const std::int64_t warps = (blocks + teams - 1) / teams * parts.columns;
    how = {.blocks = blocks_for(warps, threads / 32, 1 << 20),
           .threads = threads,
           .shared_bytes = near ? each * static_cast<std::size_t>(threads) : sizeof(T),
           .stream = stream};
  }
};

}  // namespace nz::NZ_HOME
