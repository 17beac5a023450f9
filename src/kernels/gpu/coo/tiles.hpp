#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/gpu/coo/device_coo.hpp"

namespace nz::NZ_HOME {

// The tile in which the first row of a tile begins, and the one in which its last row ends.
struct TileSpan {
  int from, to;
};

// What the blocks of coo/segmented.cpp know of their tiles, equal pieces of the entries.
template <class T>
struct Tiles {
  int count;
  int steps;  // of a warp in a tile
  const TileSpan* spans;
  T* parts;                  // of rows that several tiles share: of the first, then of the last row
  unsigned* arrived;         // at the tile where such a row begins: tiles whose part is there
  const unsigned* occupied;  // a bit a row, set where it has entries; null where all have
};

// Their owner, on the current device.
template <class T>
class TileStore {
 public:
  TileStore(const CooView<T>& a, int entries_per_step, int steps);
  simt::ScratchSize scratch_size() const {
    return simt::scratch_for<T>(spans_.size(), 2 * spans_.size());
  }
  Tiles<T> view(const simt::Scratch& s) const {
    return {static_cast<int>(spans_.size()),
            steps_,
            spans_.data(),
            s.values<T>(),
            s.counters,
            occupied_.data()};
  }
  std::size_t bytes() const { return spans_.bytes() + occupied_.bytes(); }

 private:
  int steps_;
  DeviceArray<TileSpan> spans_;
  DeviceArray<unsigned> occupied_;
};

}  // namespace nz::NZ_HOME
