#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <nonzero/nonzero.h>
#include <nonzero/solve.hpp>

#include "c/each_type.hpp"
#include "c/handles.hpp"
#include "c/options.hpp"
#include "c/report.hpp"
#include "c/wide_handle.hpp"

// Several eigenpairs.
namespace nz::c {
namespace {

template <RealValue T, class A>
solve::EigenOptions<T> options_of(const A& plan, const nz_eigen_options& o) {
  solve::EigenOptions<T> to;
  to.tolerance = o.tolerance;
  to.max_iterations = o.max_iterations;
  if (o.preconditioner)
    to.preconditioner = typed<T, solve::Preconditioner<T>>(o.preconditioner->of, "preconditioner");
  to.callback = callback_of(o);
  to.largest = o.largest != 0;
  to.guard = o.guard;
  to.from_x = o.from_x != 0;
  to.check_symmetry = o.check_symmetry != 0;
  to.stream = stream_of(plan, o.stream);
  return to;
}

// With a plan, or one of a wide matrix.
template <RealValue T, class Handle>
nz_status run(const Handle* handle, std::int32_t count, double* values, T* x, nz_layout layout,
              std::int64_t leading, const nz_eigen_options* options, nz_solve_result* result) {
  return guarded([&] {
    const auto& plan = solvable<T>(handle);
    if (count < 1) throw InvalidArgument("count is " + std::to_string(count) + ", below 1");
    const nz_eigen_options o = eigen_options(options);
    const Report report(result, o);
    given(values, "values");
    const auto size = static_cast<std::size_t>(plan.rows()) * static_cast<std::size_t>(count);
    const DenseView<T> to{array(x, size, "x"), plan.rows(), count, layout_of(layout), leading};
    const solve::Eigenpairs found = solve::lobpcg(plan, to, options_of<T>(plan, o));
    std::copy(found.values.begin(), found.values.end(), values);
    if (o.residuals) std::copy(found.residuals.begin(), found.residuals.end(), o.residuals);
    report.tell(found);
  });
}

}  // namespace
}  // namespace nz::c

#define NZ_DEFINE(name, T, factor, address)                                                      \
  nz_status nz_lobpcg_##name(const nz_plan* plan, int32_t count, double* values, T* x,           \
                             nz_layout x_layout, int64_t x_leading,                              \
                             const nz_eigen_options* options, nz_solve_result* result) {         \
    return nz::c::run(plan, count, values, x, x_layout, x_leading, options, result);             \
  }                                                                                              \
  nz_status nz_lobpcg_wide_##name(const nz_wide_plan* plan, int32_t count, double* values, T* x, \
                                  nz_layout x_layout, int64_t x_leading,                         \
                                  const nz_eigen_options* options, nz_solve_result* result) {    \
    return nz::c::run(plan, count, values, x, x_layout, x_leading, options, result);             \
  }
NZ_C_REAL(NZ_DEFINE)
#undef NZ_DEFINE
