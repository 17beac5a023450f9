#pragma once
#include <nonzero/plan.hpp>

namespace nz {

// Whether N and T may have a copy each that together take more bytes than CSR: as asked, or where
// memory is plenty.
bool second_copy_allowed(const PlanOptions& options, Device device, double both_bytes);

}  // namespace nz
