#include "lab/papers/gpu_watch.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lab/bench/gpu_timing.hpp"
#include "lab/papers/recall.hpp"

namespace nz::lab {

GpuWatch::GpuWatch(Device device) {
  for (const DeviceInfo& d : devices())
    if (d.device == device) info_ = d;
  if (device.kind == Device::Kind::cuda) bandwidth_ = measure_bandwidth(device);
  look();
}

GpuWatch::GpuWatch(const Recall& recall) : info_(recall.info()), recalled_(true) {
  bandwidth_.read = recall.read();
}

void GpuWatch::look() {
  if (!recalled_) states_.add(gpu_state(info_.device));
}

void GpuWatch::add_to(Reproduction& r) const {
  if (info_.device.kind != Device::Kind::cuda || recalled_) return;
  r.about["bandwidth"] = {{"read", std::round(bandwidth_.read)},
                          {"copy", std::round(bandwidth_.copy)},
                          {"bytes", bandwidth_.array_bytes}};
  if (auto clocks = states_.describe(); !clocks.empty()) r.about["clocks"] = std::move(clocks);
}

std::vector<std::string> how_it_went(const nlohmann::ordered_json& results) {
  int right = 0;
  std::map<std::string, int> reasons;
  for (const auto& r : results)
    if (r["status"] == "ok")
      ++right;
    else
      ++reasons[fmt::format("{}: {}, {}", r["kernel"].get<std::string>(),
                            r["status"].get<std::string>(), r["reason"].get<std::string>())];
  std::vector<std::string> all = {
      fmt::format("launches found right: {} of {}", right, results.size())};
  for (const auto& [reason, times] : reasons)
    all.push_back(times == 1 ? reason : fmt::format("{} ({} launches)", reason, times));
  return all;
}

}  // namespace nz::lab
