#pragma once
#include <utility>

#include <nonzero/solve.hpp>

#include "plan.hpp"

namespace nz::python {

// An approximate inverse, and the plan that it multiplies by, where that is somebody's: the plan
// stays as long, and no new values come while a solver is at work.
template <Value T>
struct Inverse {
  explicit Inverse(solve::Preconditioner<T> made, nb::object plan = {},
                   const Core<T>* plan_core = nullptr)
      : keeps(std::move(plan)), by(plan_core), of(std::move(made)) {}
  Inverse(Inverse&&) = default;
  Inverse& operator=(Inverse&&) = delete;
  // Giving memory of a device back waits for it, as the end of a plan does.
  ~Inverse() {
    const nb::gil_scoped_release free;
    of = {};
  }

  nb::object keeps;
  const Core<T>* by;
  solve::Preconditioner<T> of;
};

}  // namespace nz::python
