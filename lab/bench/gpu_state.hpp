#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/device.hpp>

namespace nz::lab {

// How fast a GPU runs at the moment, and what holds it back.
struct GpuState {
  unsigned sm_mhz = 0, memory_mhz = 0;
  unsigned celsius = 0, watts = 0;
  std::uint64_t reasons = 0;  // NVML's bits of why the clocks are not higher
};

// From NVML, which is loaded when it is there; empty where it is not.
std::optional<GpuState> gpu_state(Device device);

// What of the reasons slows work down: power and heat. An idle GPU or a chosen clock does not.
std::vector<std::string> slowdowns(std::uint64_t reasons);

nlohmann::ordered_json describe(const GpuState& s);

// What was seen over a run: first, last, the range of the clock, all slowdowns.
class GpuStates {
 public:
  void add(const std::optional<GpuState>& now);
  // An empty object when nothing was seen.
  nlohmann::ordered_json describe() const;

 private:
  std::optional<GpuState> first_, last_;
  unsigned slowest_ = 0, fastest_ = 0;
  std::uint64_t reasons_ = 0;
};

}  // namespace nz::lab
