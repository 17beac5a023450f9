#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/value_code.hpp>

#include "simt/simt.hpp"

// A matrix in slices of 32 rows as they come, the work of a warp each. A step of a slice is one
// slot of each of its rows, so the lanes of a warp read neighbours; a slice has as many steps as
// its longest row has entries, and what shorter rows lack is padding; where that is little more,
// all have as many steps as the longest row of all, and are found without looking. Columns take 16
// bits, counted from the lowest of their slice, where no slice spans more; values take their
// narrowest code.
namespace nz::NZ_HOME {

constexpr int slice_rows = 32;

struct SliceHead {
  std::uint32_t step;  // its first
  index_t lowest;      // column, where columns are narrow; otherwise 0
};

// The column of padding.
template <class Column>
constexpr Column no_column = static_cast<Column>(-1);

template <class T>
struct SlicesView {
  index_t rows = 0;
  int steps = 0;                     // of each slice; 0: they differ
  const SliceHead* heads = nullptr;  // of the slices, and of the end
  const std::byte* columns = nullptr;
  const std::byte* values = nullptr;
  const T* table = nullptr;
};

template <Value T>
struct Slices {
  index_t cols = 0;
  std::int64_t nnz = 0, steps = 0;
  bool narrow = true;  // columns of 16 bits
  ValueCode code = ValueCode::full;
  int different = 0;  // values in the table
  DeviceArray<SliceHead> heads;
  DeviceArray<std::byte> columns, values;
  DeviceArray<T> table;
  SlicesView<T> view;

  std::size_t bytes() const {
    return heads.bytes() + columns.bytes() + values.bytes() + table.bytes();
  }
};

// From a matrix on the current device. Throws Refused where steps cannot be numbered in 32 bits.
template <Value T, Offset O>
Slices<T> slices_on_device(const CsrView<T, O>& a);

}  // namespace nz::NZ_HOME
