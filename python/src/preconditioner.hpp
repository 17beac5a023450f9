#pragma once
#include <nonzero/solve.hpp>

#include "plan.hpp"

namespace nz::python {

// An approximate inverse, and the plan that it multiplies by, where that is somebody's: the plan
// stays as long, and no new values come while a solver is at work.
template <Value T>
struct Inverse {
  nb::object keeps{};
  const Core<T>* by = nullptr;
  solve::Preconditioner<T> of{};
};

}  // namespace nz::python
