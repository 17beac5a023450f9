#include "lab/bench/gpu_state.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace nz::lab {

using Json = nlohmann::ordered_json;

std::vector<std::string> slowdowns(std::uint64_t reasons) {
  // The bits of nvmlClocksEventReasons that mean power or heat.
  constexpr std::pair<std::uint64_t, const char*> bits[] = {{0x04, "power cap"},
                                                            {0x08, "hardware slowdown"},
                                                            {0x20, "heat (software)"},
                                                            {0x40, "heat (hardware)"},
                                                            {0x80, "power brake"}};
  std::vector<std::string> all;
  for (const auto& [bit, name] : bits)
    if (reasons & bit) all.emplace_back(name);
  return all;
}

Json describe(const GpuState& s) {
  return {{"sm_mhz", s.sm_mhz},
          {"memory_mhz", s.memory_mhz},
          {"celsius", s.celsius},
          {"watts", s.watts},
          {"slowed_by", slowdowns(s.reasons)}};
}

void GpuStates::add(const std::optional<GpuState>& now) {
  if (!now) return;
  if (!first_) {
    first_ = now;
    slowest_ = fastest_ = now->sm_mhz;
  }
  last_ = now;
  slowest_ = std::min(slowest_, now->sm_mhz);
  fastest_ = std::max(fastest_, now->sm_mhz);
  reasons_ |= now->reasons;
}

Json GpuStates::describe() const {
  if (!first_) return Json::object();
  return {{"before", lab::describe(*first_)},
          {"after", lab::describe(*last_)},
          {"sm_mhz_lowest", slowest_},
          {"sm_mhz_highest", fastest_},
          {"slowed_by", slowdowns(reasons_)}};
}

}  // namespace nz::lab
