#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "simt/simt.hpp"

// A matrix whose entries lie in tiles of equally many slots, so that a block knows from its number
// alone where its tile is, and loads all of it at once: what counts in a small matrix is how often
// a block waits for memory. Rows follow each other through the slots, one without entries takes an
// empty slot. A tile begins at a multiple of `cut` slots of that sequence and has `spare` slots
// more: a row that needs no more than these ends in the tile in which it began; a longer one goes
// on in the next.
namespace nz::NZ_HOME {

struct SlotShape {
  int threads;  // of the block that takes a tile
  int items;    // slots a thread: 4 or 8
  int spare;    // less than half of the slots
  NZ_HOST_DEVICE int slots() const { return threads * items; }
  NZ_HOST_DEVICE int cut() const { return slots() - spare; }
};

// What a tile knows of its rows.
struct alignas(16) SlotTile {
  index_t first;  // the row of its first slot
  int from;       // the tile in which that row begins
  int to;         // the tile in which the row of the last used slot ends
  int unused;
};

// Of each tile, in this order: columns, values, rows, SlotTile. Empty slots have
// column -1 and value 0. Rows are 32 bits a thread: which of its slots end a row, from bit 0 on,
// and from bit 16 on the row of its first slot, counted from the tile's first.
template <class T>
struct SlotsView {
  std::byte* data = nullptr;
  std::int64_t stride = 0;  // bytes from tile to tile
  int tiles = 0;
  SlotShape shape{};

  static std::int64_t stride_of(const SlotShape& s) {
    const std::size_t slot = sizeof(index_t) + sizeof(T);
    const std::size_t bytes = static_cast<std::size_t>(s.slots()) * slot +
                              static_cast<std::size_t>(s.threads) * sizeof(unsigned) +
                              sizeof(SlotTile);
    return static_cast<std::int64_t>((bytes + 127) / 128 * 128);
  }
  NZ_DEVICE index_t* columns(int tile) const {
    return reinterpret_cast<index_t*>(data + tile * stride);
  }
  NZ_DEVICE T* values(int tile) const {
    return reinterpret_cast<T*>(columns(tile) + shape.slots());
  }
  NZ_DEVICE unsigned* rows(int tile) const {
    return reinterpret_cast<unsigned*>(values(tile) + shape.slots());
  }
  NZ_DEVICE SlotTile* about(int tile) const {
    return reinterpret_cast<SlotTile*>(rows(tile) + shape.threads);
  }
};

template <Value T>
struct Slots {
  index_t cols = 0;
  std::int64_t used = 0;  // slots
  bool shared = false;    // a row goes through several tiles
  DeviceArray<std::byte> data;
  SlotsView<T> view;
};

// From a matrix on the current device. Items of 0: by the size of the matrix. Throws
// Refused where slots cannot be numbered in 31 bits.
template <Value T, Offset O>
Slots<T> slots_on_device(const CsrView<T, O>& a, int threads, int items, int spare);

}  // namespace nz::NZ_HOME
