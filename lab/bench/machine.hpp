#pragma once
#include <string>

#include <nlohmann/json_fwd.hpp>

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
// is.
nlohmann::ordered_json describe_machine();

// What of the environment changes the speed of threads: the OMP_ variables, and huge pages.
nlohmann::ordered_json describe_environment();

}  // namespace nz::lab
