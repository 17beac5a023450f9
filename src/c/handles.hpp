#pragma once
#include <complex>
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

constexpr const char* words(ValueType t) {
  return t == ValueType::f32   ? "float"
         : t == ValueType::f64 ? "double"
         : t == ValueType::c64 ? "complex float"
                               : "complex double";
}
constexpr nz_type type_of(ValueType t) {
  return t == ValueType::f32   ? NZ_F32
         : t == ValueType::f64 ? NZ_F64
         : t == ValueType::c64 ? NZ_C64
                               : NZ_C128;
}

template <Value T>
using Bound = std::unique_ptr<BoundProduct<T>>;

// In the order of ValueType.
using PlannedOfEach = std::variant<Planned<float>, Planned<double>, Planned<std::complex<float>>,
                                   Planned<std::complex<double>>>;
using BoundOfEach = std::variant<Bound<float>, Bound<double>, Bound<std::complex<float>>,
                                 Bound<std::complex<double>>>;

}  // namespace nz::c

struct nz_matrix {
  std::variant<nz::c::Rows<float, std::int32_t>, nz::c::Rows<float, std::int64_t>,
               nz::c::Rows<double, std::int32_t>, nz::c::Rows<double, std::int64_t>,
               nz::c::Rows<std::complex<float>, std::int32_t>,
               nz::c::Rows<std::complex<float>, std::int64_t>,
               nz::c::Rows<std::complex<double>, std::int32_t>,
               nz::c::Rows<std::complex<double>, std::int64_t>>
      rows;
};

struct nz_plan {
  nz::c::PlannedOfEach of;
  std::int64_t nonzeros = 0;
  std::string kernel{}, device{};
};

struct nz_bound {
  nz::c::BoundOfEach of;
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

// The same two for what only real matrices have. Throw InvalidArgument for complex ones: "matrix is
// of complex double, and batches are of real numbers".
template <Value T>
[[noreturn]] void throw_complex(const char* what, const char* real_ones) {
  throw InvalidArgument(std::string(what) + " is of " + words(value_type_of<T>) + ", and " +
                        real_ones + " of real numbers");
}
template <class Visit>
auto with_real_rows(const nz_matrix* matrix, const char* real_ones, Visit&& visit) {
  using Result = decltype(visit(Rows<float, std::int32_t>{}));
  return with_rows(matrix, [&]<Value T, Offset O>(const Rows<T, O>& rows) -> Result {
    if constexpr (ComplexValue<T>)
      throw_complex<T>("matrix", real_ones);
    else
      return visit(rows);
  });
}
template <class Visit>
void with_real_plan(const nz_plan* plan, const char* real_ones, Visit&& visit) {
  with_plan(plan, [&]<Value T>(const Plan<T>& p) {
    if constexpr (ComplexValue<T>)
      throw_complex<T>("plan", real_ones);
    else
      visit(p);
  });
}

// The alternative of a handle for values of type T. Throws InvalidArgument for another type: "plan
// is of float, not of double".
template <Value T, class Of, class Variant>
auto& typed(Variant& of, const char* what) {
  if (auto* it = std::get_if<Of>(&of)) return *it;
  const auto other = static_cast<ValueType>(of.index());
  throw InvalidArgument(std::string(what) + " is of " + words(other) + ", not of " +
                        words(value_type_of<T>));
}

template <Value T>
const Plan<T>& plan_of(const nz_plan* plan) {
  return typed<T, Planned<T>>(given(plan, "plan").of, "plan").plan;
}

// Throws InvalidArgument for another number, NZ_BOTH among them.
Op op_of(nz_op op);

// Throws InvalidArgument for another number.
Layout layout_of(nz_layout layout);

// The stream of the plan's device; the default one where it is NULL. Throws InvalidArgument for one
// on the CPU, which has none.
template <class Plan>
StreamView stream_of(const Plan& plan, void* stream) {
  if (!stream) return {};
  if (plan.device() == cpu_device) throw InvalidArgument("a stream for a plan on the CPU");
  return {plan.device(), static_cast<CUstream_st*>(stream)};
}

// How long x and y of a product are.
template <Value T>
std::pair<std::size_t, std::size_t> lengths(const Plan<T>& plan, Op op) {
  const auto rows = static_cast<std::size_t>(plan.rows()),
             cols = static_cast<std::size_t>(plan.cols());
  return is_transposed(op) ? std::pair(rows, cols) : std::pair(cols, rows);
}

}  // namespace nz::c
