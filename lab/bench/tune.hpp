#pragma once
#include <cstddef>
#include <functional>
#include <string_view>

#include <nonzero/device.hpp>

#include "plan/tuning/device_table.hpp"

namespace nz::lab {

struct TuneSettings {
  std::size_t buffer_bytes = 0;  // of the memory test; 0: far more than the caches
  int nonzeros = 0;              // about, of the matrices; 0: likewise
  double seconds = 0.1;          // of each timing, about
};

// What is under way: so many steps of so many are done.
using TuneProgress = std::function<void(int done, int steps, std::string_view what)>;

// Measures what the models of plans know of a device. A GPU gets the H200's table, scaled by its
// bandwidth, launch, cache and processors; on the CPU each constant is what explains the time of a
// kernel on a matrix that it matters for, the others being known; the built-in one where that would
// be ten times or a tenth of it. Nothing is measured on the emulator: its table is the built-in
// one.
DeviceTable tune(Device device, const TuneSettings& settings, const TuneProgress& progress);

}  // namespace nz::lab
