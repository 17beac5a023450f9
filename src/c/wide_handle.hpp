#pragma once
#include <string>
#include <variant>

#include <nonzero/linear_operator.hpp>
#include <nonzero/nonzero.h>
#include <nonzero/wide.hpp>

#include "c/handles.hpp"

// More rows or columns than 32 bits count.
struct nz_wide_plan {
  std::variant<nz::WidePlan<float>, nz::WidePlan<double>> of;
  std::string device{};
};

namespace nz::c {

// visit(plan) with the WidePlan<T>.
template <class Visit>
auto with_wide(const nz_wide_plan* plan, Visit&& visit) {
  return std::visit(visit, given(plan, "plan").of);
}

// What solvers multiply by: a plan, or the operator that one of a wide matrix is to them. Throws
// InvalidArgument for a plan of another type, and for more rows or columns than solvers count.
template <RealValue T>
const Plan<T>& solvable(const nz_plan* plan) {
  return plan_of<T>(plan);
}
template <RealValue T>
LinearOperator<T> solvable(const nz_wide_plan* plan) {
  return typed<T, WidePlan<T>>(given(plan, "plan").of, "plan");
}

}  // namespace nz::c
