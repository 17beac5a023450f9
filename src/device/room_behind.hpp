#pragma once
#include <cstddef>
#include <vector>

#include <nonzero/device.hpp>

#include "simt/backend.hpp"

namespace nz {

// Room for n elements and `more` behind them that kernels read along with the last ones and do not
// use: zeros, so that nothing is read that nobody wrote.
template <class V>
DeviceArray<V> with_room_behind(Device device, std::size_t n, std::size_t more) {
  DeviceArray<V> a(device, n + more);
  const std::vector<V> zeros(more);
  simt::backend(device).copy(a.data() + n, zeros.data(), more * sizeof(V), nullptr);
  return a;
}

}  // namespace nz
