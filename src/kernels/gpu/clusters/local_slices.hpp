#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "kernels/gpu/padded/slices.hpp"

// Rows in blocks of neighbours, each block with a list of the columns that its rows touch, and
// slices of 32 rows whose columns are places in that list.
namespace nz::NZ_HOME {

template <Value T>
struct LocalSlices {
  index_t rows = 0, cols = 0;
  int block_rows = 32;
  int blocks = 0;
  int most_columns = 0;  // in a list
  Slices<T> slices;
  DeviceArray<index_t> row_of;  // of places in the slices
  DeviceArray<index_t> starts;  // of the lists, and the end
  DeviceArray<index_t> list;

  std::size_t bytes() const {
    return slices.bytes() + row_of.bytes() + starts.bytes() + list.bytes();
  }
};

// From a matrix on the current device, in blocks of so many rows, a multiple of 32. The rows of a
// square matrix go by clusters of about `cluster` rows, where that is more than 1. Throws Refused
// where entries cannot be numbered in 31 bits, or a list has more than `most` columns.
template <Value T, Offset O>
LocalSlices<T> local_slices_on_device(const CsrView<T, O>& a, int block_rows, int cluster,
                                      std::int64_t most);

}  // namespace nz::NZ_HOME
