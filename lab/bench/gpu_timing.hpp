#pragma once
#include <functional>
#include <memory>

#include <nonzero/device.hpp>

#include "lab/bench/bandwidth.hpp"
#include "lab/bench/launch_sampling.hpp"

namespace nz::lab {

// Times what is queued on one CUDA device, with a stream, events and a buffer to flush the cache
// with. Throws NoResource where there is no such device or too little of its memory.
class GpuTimer {
 public:
  explicit GpuTimer(Device device);
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  // `queue` puts one product on the stream it is given, and nothing else. In batches where the
  // budget has a number of runs for a sample.
  LaunchTiming measure(const std::function<void(StreamView)>& queue, const Budget& budget);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// What the device's memory gives: read by a kernel that adds up one array, copied by the driver
// (bytes read and written). Best of several. 0 bytes: 4 GiB, or half of what is free.
Bandwidth measure_bandwidth(Device device, std::size_t array_bytes = 0);

}  // namespace nz::lab
