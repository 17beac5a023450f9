#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/gpu/device_coo.hpp"

namespace nz::NZ_HOME {

// The tile in which the first row of a tile begins, and the one in which its last row ends.
struct TileSpan {
  int from, to;
};

// What the blocks of coo_segmented.cpp know of their tiles, equal pieces of the entries.
template <class T>
struct Tiles {
  int count;
  int steps;  // of a warp in a tile
  const TileSpan* spans;
  T* parts;                  // of rows that several tiles share: of the first, then of the last row
  int* arrived;              // at the tile where such a row begins: tiles whose part is there
  const unsigned* occupied;  // a bit a row, set where it has entries; null where all have
};

// Their owner, on the current device.
template <class T>
class TileStore {
 public:
  TileStore(const CooView<T>& a, int entries_a_step, int steps);
  const Tiles<T>& view() const { return view_; }
  std::size_t bytes() const {
    return spans_.bytes() + parts_.bytes() + arrived_.bytes() + occupied_.bytes();
  }

 private:
  Tiles<T> view_{};
  DeviceArray<TileSpan> spans_;
  DeviceArray<T> parts_;
  DeviceArray<int> arrived_;
  DeviceArray<unsigned> occupied_;
};

}  // namespace nz::NZ_HOME
