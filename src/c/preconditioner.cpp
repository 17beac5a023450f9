#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <nonzero/nonzero.h>
#include <nonzero/preconditioners.hpp>

#include "c/handles.hpp"
#include "c/options.hpp"
#include "c/rows.hpp"

// Approximate inverses for the solvers.
namespace nz::c {
namespace {

constexpr const char* real_ones = "preconditioners are";

Device device_of(const nz_preconditioner_options& o) {
  if (!o.plan) return o.device ? device_named(o.device) : cpu_device;
  const Device there = with_plan(o.plan, [](const auto& p) { return p.device(); });
  if (o.device && device_named(o.device) != there)
    throw InvalidArgument("the plan is on " + there.name() + ", and device is '" + o.device + "'");
  return there;
}

// Triangular solves go from row to row: other devices have none.
void require_cpu(std::string_view name, Device device, const char* instead) {
  if (device != cpu_device)
    throw InvalidArgument("'" + std::string(name) + "' runs on the CPU alone, not on " +
                          device.name() + ": " + instead);
}

// The polynomial multiplies by the plan that is given, or by one of its own. That has a copy of the
// rows, which may be the caller's and go.
template <Value T, Offset O>
nz_preconditioner chebyshev(const CsrView<T, O>& a, const nz_preconditioner_options& o,
                            Device device) {
  const solve::ChebyshevOptions options{.degree = o.degree, .lower = o.lower, .upper = o.upper};
  if (o.plan) return {.of = solve::chebyshev(LinearOperator<T>(plan_of<T>(o.plan)), a, options)};
  const std::unique_ptr<nz_matrix> copy = copied(a);
  return with_real_rows(
      copy.get(), real_ones, [&]<Value U, Offset P>(const Rows<U, P>& rows) -> nz_preconditioner {
        LinearOperator<U> by(plan(rows.view, {.device = device}));
        return {.arrays = rows.owner, .of = solve::chebyshev(by, rows.view, options)};
      });
}

template <Value T, Offset O>
nz_preconditioner create(const CsrView<T, O>& a, std::string_view name,
                         const nz_preconditioner_options& o) {
  const Device device = device_of(o);
  if (name == "jacobi") return {.of = solve::jacobi(a, device)};
  if (name == "block") return {.of = solve::block_jacobi(a, o.block, device)};
  if (name == "fsai")
    return {
        .of = solve::fsai(a, {.power = o.power, .drop = o.drop, .row_limit = o.row_limit}, device)};
  if (name == "chebyshev") return chebyshev(a, o, device);
  if (name == "spai0") return {.of = solve::spai(a, 0, device)};
  if (name == "spai1") return {.of = solve::spai(a, 1, device)};
  if (name == "ic0") {
    require_cpu(name, device, "'fsai' and 'chebyshev' run there");
    return {.of = solve::incomplete_cholesky(a)};
  }
  if (name == "ilu0") {
    require_cpu(name, device, "'spai1' runs there");
    return {.of = solve::incomplete_lu(a)};
  }
  throw InvalidArgument("no preconditioner is called '" + std::string(name) +
                        "'; there are jacobi, block, fsai, chebyshev, spai0, spai1, ic0 and ilu0");
}

}  // namespace
}  // namespace nz::c

using namespace nz::c;

nz_status nz_preconditioner_create(nz_preconditioner** preconditioner, const nz_matrix* matrix,
                                   const char* name, const nz_preconditioner_options* options) {
  return made(preconditioner, "preconditioner", [&] {
    return with_real_rows(
        matrix, real_ones, [&]<nz::Value T, nz::Offset O>(const Rows<T, O>& rows) {
          return std::make_unique<nz_preconditioner>(
              create(rows.view, &given(name, "name"), preconditioner_options(options)));
        });
  });
}

nz_status nz_preconditioner_jacobi(nz_preconditioner** preconditioner, const nz_matrix* matrix,
                                   int32_t block, const char* device) {
  return made(preconditioner, "preconditioner", [&] {
    return with_real_rows(
        matrix, real_ones, [&]<nz::Value T, nz::Offset O>(const Rows<T, O>& rows) {
          const nz::Device there = device ? nz::device_named(device) : nz::cpu_device;
          return std::make_unique<nz_preconditioner>(nz_preconditioner{
              .of = block == 1 ? nz::solve::jacobi(rows.view, there)
                               : nz::solve::block_jacobi(rows.view, block, there)});
        });
  });
}

void nz_preconditioner_destroy(nz_preconditioner* preconditioner) { delete preconditioner; }
