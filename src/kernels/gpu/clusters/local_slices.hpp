#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "kernels/gpu/padded/slices.hpp"

// Rows in tiles of neighbours, each tile with a list of the columns that its rows touch, and slices
// of 32 rows whose columns are places in that list.
namespace nz::NZ_HOME {

struct alignas(16) ClusterTile {
  index_t list = 0;  // where its columns begin
  int columns = 0;
  std::uint32_t step = 0;  // the first of its slices
  int steps = 0;
};

template <Value T>
struct LocalSlices {
  index_t rows = 0, cols = 0;
  int tile_rows = 32;
  int count = 0;         // of tiles
  int most_columns = 0;  // in a list
  int most_slots = 0;    // of a tile
  Slices<T> slices;
  DeviceArray<ClusterTile> tiles;
  DeviceArray<index_t> row_of;  // of places in the slices
  DeviceArray<index_t> list;

  std::size_t bytes() const {
    return slices.bytes() + tiles.bytes() + row_of.bytes() + list.bytes();
  }
};

// From a matrix on the current device, in tiles of so many rows, a multiple of 32. The rows of a
// square matrix go by clusters of about `cluster` rows, where that is more than 1. Throws Refused
// where entries cannot be numbered in 31 bits, or a list has more columns than 16 bits can number.
template <Value T, Offset O>
LocalSlices<T> local_slices_on_device(const CsrView<T, O>& a, int tile_rows, int cluster);

}  // namespace nz::NZ_HOME
