#pragma once
#include <cstddef>

#include <nonzero/device.hpp>
#include <nonzero/formats/gcsb.hpp>

#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// The arrays of GCSB in a device's memory.
template <Value T, Offset O>
struct GcsbArrays {
  GcsbView<T, O> view;
  DeviceArray<O> offsets;
  DeviceArray<index_t> numbers;
  DeviceArray<std::uint32_t> places;
  DeviceArray<T> values;

  std::size_t bytes() const {
    return offsets.bytes() + numbers.bytes() + places.bytes() + values.bytes();
  }
  // Once the arrays are there.
  void connect() {
    view.offsets = offsets.data();
    view.numbers = numbers.data();
    view.places = places.data();
    view.values = values.data();
  }
};

// gcsb_from_csr for a matrix that lies in the current device's memory, made there: the same arrays,
// the same refusals. Works on the default stream and waits for it. Beside GCSB itself it needs
// about 16 bytes and two values a nonzero, and 24 bytes a block, for a while.
template <Value T, Offset O>
GcsbArrays<T, O> gcsb_on_device(const CsrView<T, O>& a, std::int64_t beta, index_t group_size,
                                double max_ratio);

}  // namespace nz::NZ_HOME
