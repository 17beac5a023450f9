#pragma once
#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "kernels/gpu/panels/walk.hpp"

// A matrix cut into panels of neighbouring columns, so few that a block has the x of a panel in its
// shared memory, each in staged tiles. What a panel has of a row is a part, and parts are what is
// numbered: by panels, and in each by rows. The sum of a row is that of its parts.
namespace nz::NZ_HOME {

template <Value T>
struct SeveralPanels {
  index_t rows = 0, cols = 0;
  int panels = 0, blocks = 0;
  int width = 0;       // columns a panel
  int most_tiles = 0;  // of a block
  std::int64_t parts = 0;
  StagedTiles<T> tiles;
  DeviceArray<StagedTask> tasks;  // of the blocks
  DeviceArray<index_t> starts;    // of the rows, in `part`, and the end
  DeviceArray<index_t> part;      // by rows, in each by panels
  DeviceArray<index_t> row_of;    // of the parts

  std::size_t bytes() const {
    return tiles.bytes() + tasks.bytes() + starts.bytes() + part.bytes() + row_of.bytes();
  }
};

// From a matrix on the current device, at least one block a panel, about `blocks` of them. Throws
// Refused where entries cannot be numbered in 31 bits, or panels in 16.
template <Value T, Offset O>
SeveralPanels<T> several_panels_on_device(const CsrView<T, O>& a, int width, int blocks);

}  // namespace nz::NZ_HOME
