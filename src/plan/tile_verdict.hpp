#pragma once
#include <nonzero/formats/pattern.hpp>

// What decides whether tiles make the transposed product faster than adding to y with atomics
// (docs/tiles.md), from samples.
namespace nz {

// Of a tile of 256 x 256 that has any.
double entries_a_small_tile(const Pattern& a);
// The share of the entries that one column has.
double hottest_column(const Pattern& a);

}  // namespace nz
