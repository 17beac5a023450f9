#pragma once
#include <nonzero/formats/pattern.hpp>

// What decides how tiles are made, and whether they pay (docs/tiles.md), from samples.
namespace nz {

// Of a tile of 256 x 256 that has any.
double entries_per_small_tile(const Pattern& a);

}  // namespace nz
