#pragma once
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/device.hpp>

#include "lab/bench/bandwidth.hpp"
#include "lab/bench/gpu_state.hpp"
#include "lab/papers/comparison.hpp"

namespace nz::lab {

class Recall;

// The device of an experiment, watched while it runs: its bandwidth, measured at first, and its
// clocks. The emulator has neither.
class GpuWatch {
 public:
  explicit GpuWatch(Device device);
  // As the record knows it: nothing is measured.
  explicit GpuWatch(const Recall& recall);
  const DeviceInfo& info() const { return info_; }
  const Bandwidth& bandwidth() const { return bandwidth_; }
  void look();
  // As keys of the record.
  void add_to(Reproduction& r) const;

 private:
  DeviceInfo info_;
  Bandwidth bandwidth_;
  GpuStates states_;
  bool recalled_ = false;
};

// How many trials were right, and why others have no figures.
std::vector<std::string> how_it_went(const nlohmann::ordered_json& results);

}  // namespace nz::lab
