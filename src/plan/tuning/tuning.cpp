#include "plan/tuning/tuning.hpp"

#include <array>
#include <exception>
#include <fstream>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "plan/tuning/device_table.hpp"
#include "plan/tuning/processor.hpp"
#include "plan/tuning_cache.hpp"
#include "simt/backend.hpp"
#include "simt/memory_speed.hpp"

namespace nz {
namespace {

namespace fs = std::filesystem;

// More than any table has.
constexpr std::uintmax_t most_bytes = 1 << 16;

// What a file says; nothing where there is none, or one that is broken or of another device.
template <class Tuning>
std::optional<Tuning> tuning_in(const std::string& folder, const DeviceInfo& device) noexcept {
  try {
    if (folder.empty() || !fs::is_directory(fs::path(folder) / "tuning")) return {};
    const std::string key = table_key(device);
    const fs::path file = table_file(folder, key);
    if (!fs::is_regular_file(file) || fs::file_size(file) > most_bytes) return {};
    std::ifstream in(file, std::ios::binary);
    if (!in) return {};
    const DeviceTable table = read_device_table(in);
    if (table.device != key) return {};
    return tuning_of<Tuning>(table.constants);
  } catch (const std::exception&) {
    return {};
  }
}

// The folder of plans that say nothing about it.
std::string usual_folder() noexcept {
  try {
    return tuning_folder({});
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

std::string table_key(const DeviceInfo& device) {
  if (device.device == cpu_device) return processor();
  return fmt::format("{}, {} processors", device.description, device.processors);
}

fs::path table_file(const std::string& folder, const std::string& key) {
  std::string name;
  for (const char c : key) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  return fs::path(folder) / "tuning" / ("device-" + name + ".json");
}

GpuTuning built_in_tuning(const DeviceInfo& device) {
  const bool cuda = device.device.kind == Device::Kind::cuda;
  return built_in_tuning(device, cuda ? simt::cuda_memory_speed(device.device.index) : 0);
}

CpuTuning cpu_tuning_in(const std::string& folder) {
  return tuning_in<CpuTuning>(folder, {}).value_or(CpuTuning{});
}

GpuTuning gpu_tuning_in(const std::string& folder, const DeviceInfo& device) {
  const auto found = tuning_in<GpuTuning>(folder, device);
  return found ? *found : built_in_tuning(device);
}

CpuTuning cpu_tuning() {
  static const CpuTuning tuning = cpu_tuning_in(usual_folder());
  return tuning;
}

GpuTuning gpu_tuning(Device device) {
  static std::mutex mutex;
  static std::array<std::optional<GpuTuning>, 16> known;  // those beyond are looked for again
  const DeviceInfo& info = simt::backend(device).info();
  if (device.kind != Device::Kind::cuda) return built_in_tuning(info);
  const auto i = static_cast<std::size_t>(device.index);
  if (i >= known.size()) return gpu_tuning_in(usual_folder(), info);
  const std::lock_guard lock(mutex);
  if (!known[i]) known[i] = gpu_tuning_in(usual_folder(), info);
  return *known[i];
}

}  // namespace nz
