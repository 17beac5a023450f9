#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>

#include "kernels/gpu/gpu_product.hpp"

// A matrix cut into units of consecutive rows, each the work of one warp, which keeps their sums in
// shared memory; the entries of a unit are ordered by slabs of 2^bits columns, within a slab by
// rows. So every warp goes once along x, all of them at about the same pace, and what they gather
// from at a time is a few slabs. An entry's place is one word: its row within the unit above its
// column within the slab.
//
// A row longer than `piece` is dealt out to several parts, rows of their own after the last one of
// the matrix: part p of n has the entries p, p + n, p + 2n, ... so that a part goes along all of x
// too. The row itself is then empty; its parts are added up afterwards.
namespace nz::NZ_HOME {

// A long row and its parts.
struct SlabLong {
  index_t row;
  int first, parts;
};

template <class T>
struct SlabView {
  index_t rows, cols;
  int slabs, bits, units;
  int most_rows;               // of a unit
  const index_t* first;        // row of each unit, and the end
  const std::int64_t* starts;  // of each slab of each unit, and the end
  const std::uint32_t* places;
  const T* values;
  const index_t* row_of;  // of each part
};

template <class T>
struct SlabUnits {
  SlabView<T> view{};
  std::int64_t nnz = 0;
  index_t parts = 0;
  DeviceArray<index_t> first;
  DeviceArray<std::int64_t> starts;
  DeviceArray<std::uint32_t> places;
  DeviceArray<T> values;
  DeviceArray<index_t> row_of;
  DeviceArray<SlabLong> longs;

  // What a multiply reads, and what all this takes.
  std::size_t matrix_bytes() const {
    return first.bytes() + starts.bytes() + places.bytes() + values.bytes() + longs.bytes();
  }
  std::size_t bytes() const { return matrix_bytes() + row_of.bytes(); }
};

// How a matrix is cut.
struct SlabRule {
  int bits;            // 2^bits columns a slab; more where there would be over most_slabs
  std::int64_t piece;  // entries of the longest row that is not dealt out; 0: by the matrix
  int at_once;         // units that the device works on at a time
  int room;            // rows that a unit's share of shared memory holds
};

constexpr int most_slabs = 256;

// Makes them on the current device, of a matrix that lies there. Throws Refused where rows and
// parts are too many to be numbered.
template <Value T, Offset O>
SlabUnits<T> slabs_on_device(const CsrView<T, O>& a, const SlabRule& rule);

}  // namespace nz::NZ_HOME
