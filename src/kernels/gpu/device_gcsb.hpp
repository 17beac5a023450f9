#pragma once
#include <cstddef>
#include <span>
#include <utility>

#include <nonzero/device.hpp>
#include <nonzero/formats/gcsb.hpp>

#include "kernels/gpu/block_entries.hpp"

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
  // After the arrays are made, or have moved.
  void connect() {
    view.offsets = offsets.data();
    view.numbers = numbers.data();
    view.places = places.data();
    view.values = values.data();
  }
};

// A matrix as GCSB in the current device's memory.
template <Value T, Offset O>
GcsbArrays<T, O> gcsb_for(const CsrView<T, O>& a, const Parameters& p) {
  const Device device = current_device();
  const Gcsb<T, O> b = gcsb_from_csr(HostCsr<T, O>(device, a).view(), beta_of(p),
                                     static_cast<index_t>(p.at("group_size")),
                                     static_cast<double>(p.at("max_ratio")));
  GcsbArrays<T, O> there{b.view(),
                         {device, std::span<const O>(b.offsets)},
                         {device, std::span<const index_t>(b.numbers)},
                         {device, std::span<const std::uint32_t>(b.places)},
                         {device, std::span<const T>(b.values)}};
  there.connect();
  return there;
}

}  // namespace nz::NZ_HOME
