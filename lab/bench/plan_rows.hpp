#pragma once
#include <string>

#include <nonzero/kernel.hpp>

// Plans as kernels of the registry, plan/EFFORT/USE, so that what nz::plan makes is checked and
// timed like what it chooses from. Each stands there twice: for the CPU, and for GPUs and the
// emulator where this build has kernels for them.
namespace nz::lab {

// Adds them to the registry; again, it does nothing.
void add_plans();

bool is_plan(const Kernel& k);

// Whether the bench asks a kernel for op: a plan only for what it was made for.
bool measures(const Kernel& k, Op op);

// What the product of such a kernel has to tell beside its facts.
class PlanTold {
 public:
  virtual ~PlanTold() = default;
  // What the plan took for op, and why: "gpu/packed/slices of A^T: 85 % in runs".
  virtual std::string taken(Op op) const = 0;
  virtual double predicted_seconds(Op op) const = 0;
};

}  // namespace nz::lab
