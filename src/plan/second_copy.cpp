#include "plan/second_copy.hpp"

#include "base/host_memory.hpp"
#include "simt/backend.hpp"

namespace nz {
namespace {

// Plenty: so much of what is free. A deterministic plan, which takes the same kernel every time,
// does not ask how much is free at the moment: half of all is taken to be.
constexpr double share_of_free = 0.25, share_of_all = share_of_free / 2;

double free_bytes(Device device) {
  return device == cpu_device ? free_host_bytes()
                              : static_cast<double>(simt::backend(device).free_bytes());
}

double all_bytes(Device device) {
  return device == cpu_device ? all_host_bytes()
                              : static_cast<double>(simt::backend(device).info().memory_bytes);
}

}  // namespace

bool second_copy_allowed(const PlanOptions& options, Device device, double both_bytes) {
  if (options.store_transpose) return *options.store_transpose;
  if (options.memory_limit > 0 || options.effort == Effort::instant) return false;
  return both_bytes <= (options.deterministic ? share_of_all * all_bytes(device)
                                              : share_of_free * free_bytes(device));
}

}  // namespace nz
