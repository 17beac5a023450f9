// A build without CUDA: nothing to time.
#include <nonzero/error.hpp>

#include "lab/bench/gpu_state.hpp"
#include "lab/bench/gpu_timing.hpp"

namespace nz::lab {

struct GpuTimer::Parts {};
GpuTimer::GpuTimer(Device) { throw NoResource(why_no_cuda()); }
GpuTimer::~GpuTimer() = default;
LaunchTiming GpuTimer::measure(const std::function<void(StreamView)>&, const Budget&) { return {}; }

Bandwidth measure_bandwidth(Device, std::size_t) { throw NoResource(why_no_cuda()); }

std::optional<GpuState> gpu_state(Device) { return std::nullopt; }

}  // namespace nz::lab
