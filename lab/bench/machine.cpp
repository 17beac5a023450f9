#include "lab/bench/machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/utsname.h>
#include <unistd.h>

#include <commit.inc>  // made by cmake/commit.cmake
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/host_memory.hpp"
#include "base/isa.hpp"

namespace nz::lab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value behind "key : value" in a file of such lines.
std::string value_of(const fs::path& path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(separator);
    if (at == line.npos || !line.starts_with(key)) continue;
    const auto name_end = line.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    if (line.substr(0, name_end + 1) != key) continue;
    const auto begin = line.find_first_not_of(" \t\"", at + 1);
    const auto end = line.find_last_not_of(" \t\"");
    if (begin != line.npos) return line.substr(begin, end + 1 - begin);
  }
  return "";
}

std::string processor() {
  const fs::path info = "/proc/cpuinfo";
  if (const std::string name = value_of(info, "model name", ':'); !name.empty()) return name;
  // Arm prints numbers only; these are the common server cores.
  const std::string maker = value_of(info, "CPU implementer", ':');
  const std::string part = value_of(info, "CPU part", ':');
  constexpr std::pair<std::string_view, std::string_view> arm[] = {{"0xd0c", "Neoverse-N1"},
                                                                   {"0xd40", "Neoverse-V1"},
                                                                   {"0xd49", "Neoverse-N2"},
                                                                   {"0xd4f", "Neoverse-V2"},
                                                                   {"0xd84", "Neoverse-V3"}};
  if (maker == "0x41")
    for (const auto& [number, name] : arm)
      if (part == number) return std::string(name);
  return maker.empty() ? "unknown" : fmt::format("implementer {} part {}", maker, part);
}

// Physical cores; 0 when the system does not tell.
int cores() {
  std::set<std::pair<std::string, std::string>> all;
  for (int cpu = 0;; ++cpu) {
    const fs::path topology = fmt::format("/sys/devices/system/cpu/cpu{}/topology", cpu);
    std::error_code error;
    if (!fs::exists(topology, error)) break;
    all.emplace(first_line(topology / "physical_package_id"), first_line(topology / "core_id"));
  }
  return static_cast<int>(all.size());
}

int memory_nodes() {
  int n = 0;
  std::error_code error;
  while (fs::exists(fmt::format("/sys/devices/system/node/node{}", n), error)) ++n;
  return n;
}

Json caches() {
  Json all = Json::array();
  for (int i = 0;; ++i) {
    const fs::path cache = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", i);
    std::error_code error;
    if (!fs::exists(cache, error)) break;
    all.push_back({{"level", std::atoi(first_line(cache / "level").c_str())},
                   {"type", first_line(cache / "type")},
                   {"size", first_line(cache / "size")},
                   {"shared_by", first_line(cache / "shared_cpu_list")}});
  }
  return all;
}

// 13000 is 13.0.
std::string cuda_version(int n) { return fmt::format("{}.{}", n / 1000, n % 1000 / 10); }

Json gpu(Device device) {
  for (const DeviceInfo& d : devices())
    if (d.device == device)
      return {{"name", d.description},
              {"compute_capability", fmt::format("{}.{}", d.major, d.minor)},
              {"multiprocessors", d.processors},
              {"clock_mhz", d.clock_mhz},
              {"l2_bytes", d.cache_bytes},
              {"memory_bytes", d.memory_bytes},
              {"driver", cuda_version(d.driver)},
              {"runtime", cuda_version(d.runtime)}};
  return nullptr;
}

}  // namespace

Commit commit() { return {NZ_COMMIT, NZ_DIRTY}; }

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang++ {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::string build_type() { return NZ_BUILD_TYPE; }

Json describe_machine(Device device) {
  utsname system{};
  uname(&system);
  const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  Json j{{"cpu", processor()},
         {"architecture", system.machine},
         {"cpus", std::thread::hardware_concurrency()},
         {"cores", cores()},
         {"memory_nodes", memory_nodes()},
         {"isa", name(isa())},
         {"caches", caches()},
         {"memory_bytes", static_cast<std::int64_t>(pages) * page},
         {"os", fmt::format("{}, {} {}", value_of("/etc/os-release", "PRETTY_NAME", '='),
                            system.sysname, system.release)}};
  if (device.kind == Device::Kind::cuda) j["gpu"] = gpu(device);
  return j;
}

std::size_t available_memory_bytes() { return static_cast<std::size_t>(free_host_bytes()); }

Json describe_environment() {
  Json all = Json::object();
  for (const char* name : {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "OMP_WAIT_POLICY",
                           "GOMP_SPINCOUNT", "GOMP_CPU_AFFINITY", "NONZERO_ISA"})
    if (const char* value = std::getenv(name)) all[name] = value;
  const std::string pages = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  const auto from = pages.find('['), to = pages.find(']');
  if (from < to && to != pages.npos) all["huge_pages"] = pages.substr(from + 1, to - from - 1);
  return all;
}

std::vector<std::string> peer_versions(const std::deque<Kernel>& all) {
  std::set<std::string> versions;
  for (const Kernel& k : all)
    if (k.family == "peer") versions.emplace(k.source);
  return {versions.begin(), versions.end()};
}

}  // namespace nz::lab
