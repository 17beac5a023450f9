#pragma once
#include <deque>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/device.hpp>
#include <nonzero/kernel.hpp>

namespace nz::lab {

// Which source this program was built from.
struct Commit {
  std::string id;      // "unknown" outside a git repository
  bool dirty = false;  // with changes that are not committed
};
Commit commit();

std::string compiler();    // "g++ 12.2.0"
std::string build_type();  // "Release"

// Where it runs: processor, cores, instruction set, caches, memory, system. Not whose machine it
// is. With the GPU that is measured, if one is.
nlohmann::ordered_json describe_machine(Device device = cpu_device);

// Memory that can be had without swapping; 0 when the system does not tell.
std::size_t available_memory_bytes();

// What of the environment changes the speed of threads: the OMP_ variables, and huge pages.
nlohmann::ordered_json describe_environment();

// The other libraries of a registry's peers as they name themselves: "cuSPARSE 12.6.3". A library
// may be another than that of the build.
std::vector<std::string> peer_versions(const std::deque<Kernel>& all);

}  // namespace nz::lab
