#pragma once
#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "kernels/gpu/panels/tiles.hpp"

// A matrix of so few columns that a block has all of x in its shared memory, in staged tiles. Where
// rows without entries are missing, `row_of` says which each number is and `empty` which are
// missing.
namespace nz::NZ_HOME {

template <Value T>
struct OnePanel {
  index_t rows = 0, cols = 0;
  int blocks = 0;
  StagedTiles<T> tiles;
  DeviceArray<StagedShare> shares;  // of the blocks
  DeviceArray<index_t> row_of;      // none: no row is missing
  DeviceArray<index_t> empty;

  std::size_t bytes() const {
    return tiles.bytes() + shares.bytes() + row_of.bytes() + empty.bytes();
  }
};

// From a matrix on the current device with at most 2^16 columns, dealt out to at most so many
// blocks. Throws Refused where its entries cannot be numbered in 31 bits.
template <Value T, Offset O>
OnePanel<T> one_panel_on_device(const CsrView<T, O>& a, int blocks);

}  // namespace nz::NZ_HOME
