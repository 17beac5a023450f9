#pragma once
#include <cstdint>

#include <nonzero/formats/csr.hpp>

#include "kernels/gpu/parts/balanced_tiles.hpp"

namespace nz::NZ_HOME {

// A row whose entries are in pieces.
inline constexpr int in_pieces = 1 << 30;

// What the blocks of csr/balanced.cpp take: pieces of long rows, then tiles.
template <class T, class O>
struct CsrBalancedWork {
  CsrView<T, O> a;
  const Tile* tiles;
  const LongRowGap* gaps;
  Pieces<T> pieces;
  int piece_blocks;  // the first blocks take pieces, one a warp
  bool by_block;     // or one each

  NZ_DEVICE TileGaps gaps_of(const Tile& tile) const { return {gaps, tile.gap, tile.gaps}; }
  // Whether a row of a tile is cut into pieces.
  NZ_DEVICE bool elsewhere(const Tile& tile, int row) const {
    for (int h = 0; h < tile.gaps; ++h)
      if (gaps[tile.gap + h].row == row) return true;
    return false;
  }

  // Where the i-th entry of a tile lies, counted from its first; `gaps_there`: the tile has some.
  template <bool gaps_there>
  NZ_DEVICE std::int64_t place(const Tile& tile, int i) const {
    if constexpr (gaps_there)
      return gaps_of(tile).place(i);
    else
      return i;
  }
  // Where a row of a tile begins among its entries, with the bit in_pieces where it is not there.
  template <bool gaps_there>
  NZ_DEVICE int start_of(Thread& t, const Tile& tile, int row) const {
    const std::int64_t behind = t.load(a.offsets + tile.first + row) - tile.entry;
    if constexpr (gaps_there)
      return gaps_of(tile).start(behind, row, in_pieces);
    else
      return static_cast<int>(behind);
  }
};

}  // namespace nz::NZ_HOME
