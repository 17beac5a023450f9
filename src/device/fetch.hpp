#pragma once
#include <cstddef>
#include <vector>

#include <nonzero/device.hpp>

#include "simt/simt.hpp"

// What the host wants to know of arrays in the current device's memory. Waits for what was queued
// on the default stream.
namespace nz::NZ_HOME {

template <class V>
V fetch(const V* from) {
  V one;
  detail::device_copy(current_device(), &one, from, sizeof one, {});
  return one;
}

template <class V>
std::vector<V> fetch(const V* from, std::size_t n) {
  std::vector<V> to(n);
  if (n > 0) detail::device_copy(current_device(), to.data(), from, n * sizeof(V), {});
  return to;
}

}  // namespace nz::NZ_HOME
