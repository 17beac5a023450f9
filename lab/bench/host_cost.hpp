#pragma once
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <nonzero/device.hpp>
#include <nonzero/kernel.hpp>

#include "lab/bench/measure.hpp"

namespace nz::lab {

// What a call costs the thread that makes it, not what is then done on the device: each sample is a
// batch of calls on an idle stream, timed until the last one returns.
struct HostCost {
  const Kernel* kernel = nullptr;
  Op op = Op::none;
  Timing multiply;  // Plan::multiply with device spans
  Timing enqueue;   // BoundProduct::enqueue
};

struct HostCosts {
  Timing launch;  // a kernel that does nothing; on the CPU there is none, and nothing was sampled
  std::vector<HostCost> products;
};

// y = op(A) x of doubles. Kernels that decline the matrix, or lack an op, are left out.
HostCosts host_costs(Device device, const CsrView<double, std::int32_t>& a,
                     std::span<const Kernel* const> kernels, std::span<const Op> ops);

// In nanoseconds: medians, and the least.
nlohmann::ordered_json to_json(const HostCosts& costs);

}  // namespace nz::lab
