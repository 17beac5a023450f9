#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <nonzero/error.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/nonzero.h>
#include <nonzero/plan.hpp>
#include <nonzero/solve.hpp>

#include "c/guard.hpp"

// What stands behind the handles of C.
namespace nz::c {

// Rows of a matrix: the caller's arrays where there is no owner.
template <Value T, Offset O>
struct Rows {
  CsrView<T, O> view{};
  std::shared_ptr<const Csr<T, O>> owner{};
};

// A plan, and the arrays of a matrix that it reads in place, where they are the library's.
template <Value T>
struct Planned {
  Plan<T> plan;
  std::shared_ptr<const void> arrays{};
};

constexpr const char* words(ValueType t) { return t == ValueType::f32 ? "float" : "double"; }
constexpr nz_type type_of(ValueType t) { return t == ValueType::f32 ? NZ_F32 : NZ_F64; }

}  // namespace nz::c

struct nz_matrix {
  std::variant<nz::c::Rows<float, std::int32_t>, nz::c::Rows<float, std::int64_t>,
               nz::c::Rows<double, std::int32_t>, nz::c::Rows<double, std::int64_t>>
      rows;
};

struct nz_plan {
  std::variant<nz::c::Planned<float>, nz::c::Planned<double>> of;
  std::int64_t nonzeros = 0;
  std::string kernel{}, device{};
};

struct nz_bound {
  std::variant<std::unique_ptr<nz::BoundProduct<float>>, std::unique_ptr<nz::BoundProduct<double>>>
      of;
};

struct nz_preconditioner {
  std::shared_ptr<const void> arrays{};  // that a plan of its own reads in place; they end last
  std::variant<nz::solve::Preconditioner<float>, nz::solve::Preconditioner<double>> of{};
};

namespace nz::c {

// visit(rows) with the Rows<T, O> of the matrix.
template <class Visit>
decltype(auto) with_rows(const nz_matrix* matrix, Visit&& visit) {
  return std::visit(std::forward<Visit>(visit), given(matrix, "matrix").rows);
}

// visit(plan) with the Plan<T>.
template <class Visit>
decltype(auto) with_plan(const nz_plan* plan, Visit&& visit) {
  return std::visit([&](const auto& p) -> decltype(auto) { return visit(p.plan); },
                    given(plan, "plan").of);
}

// The alternative of a handle for values of type T. Throws InvalidArgument for another type: "plan
// is of float, not of double".
template <Value T, template <Value> class Of, class Variant>
auto& typed(Variant& of, const char* what) {
  if (auto* it = std::get_if<Of<T>>(&of)) return *it;
  constexpr ValueType wanted = value_type_of<T>;
  const ValueType other = wanted == ValueType::f32 ? ValueType::f64 : ValueType::f32;
  throw InvalidArgument(std::string(what) + " is of " + words(other) + ", not of " + words(wanted));
}

template <Value T>
const Plan<T>& plan_of(const nz_plan* plan) {
  return typed<T, Planned>(given(plan, "plan").of, "plan").plan;
}

// Throws InvalidArgument for another number, NZ_BOTH among them.
Op op_of(nz_op op);

// The stream of the plan's device; the default one where it is NULL. Throws InvalidArgument for one
// on the CPU, which has none.
template <Value T>
StreamView stream_of(const Plan<T>& plan, void* stream) {
  if (!stream) return {};
  if (plan.device() == cpu_device) throw InvalidArgument("a stream for a plan on the CPU");
  return {plan.device(), static_cast<CUstream_st*>(stream)};
}

// How long x and y of a product are.
template <Value T>
std::pair<std::size_t, std::size_t> lengths(const Plan<T>& plan, Op op) {
  const auto rows = static_cast<std::size_t>(plan.rows()),
             cols = static_cast<std::size_t>(plan.cols());
  return op == Op::none ? std::pair(cols, rows) : std::pair(rows, cols);
}

}  // namespace nz::c
