#pragma once
#include <nonzero/formats/pattern.hpp>

namespace nz {

// What decides whether tiles make the transposed product faster than adding to y with atomics
// (docs/tiles.md), from samples.
struct TileVerdict {
  double entries = 0;  // of a tile of 256 x 256 that has any
  double hottest = 0;  // share of the entries that one column has
};

TileVerdict look_for_tiles(const Pattern& a);

}  // namespace nz
