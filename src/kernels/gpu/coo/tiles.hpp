#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// The tile in which the first row of a tile begins, and the one in which its last row ends.
struct TileSpan {
  int from, to;
};

// What the blocks of coo/segmented.cpp know of their tiles, equal pieces of the entries.
struct CooTiles {
  DeviceArray<TileSpan> spans;
  DeviceArray<unsigned> occupied;  // a bit a row, set where it has entries; none where all have
  std::size_t bytes() const { return spans.bytes() + occupied.bytes(); }
};

// Of entries whose rows lie in the current device's memory, `size` a tile.
CooTiles cut_into_tiles(const index_t* row, std::int64_t nnz, index_t rows, std::int64_t size);

}  // namespace nz::NZ_HOME
