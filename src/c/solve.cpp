#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nonzero/nonzero.h>
#include <nonzero/solve.hpp>

#include "c/each_type.hpp"
#include "c/handles.hpp"
#include "c/options.hpp"
#include "c/report.hpp"
#include "c/wide_handle.hpp"

// Solvers, PageRank, Markov chains and the largest eigenvalue.
namespace nz::c {
namespace {

using solve::Stop;
constexpr bool same(Stop stop, int number) { return static_cast<int>(stop) == number; }
static_assert(same(Stop::converged, NZ_CONVERGED) && same(Stop::least_squares, NZ_LEAST_SQUARES) &&
              same(Stop::iteration_limit, NZ_ITERATION_LIMIT) && same(Stop::stopped, NZ_STOPPED) &&
              same(Stop::breakdown, NZ_BREAKDOWN) && same(Stop::diverged, NZ_DIVERGED) &&
              same(Stop::not_a_number, NZ_NOT_A_NUMBER) &&
              same(Stop::not_symmetric, NZ_NOT_SYMMETRIC) &&
              same(Stop::not_definite, NZ_NOT_DEFINITE) &&
              same(Stop::not_stochastic, NZ_NOT_STOCHASTIC) && same(Stop::stagnated, NZ_STAGNATED));

template <Value T, class P>
solve::Options<T> options_of(const P& plan, const nz_solve_options& o) {
  solve::Options<T> to;
  to.tolerance = o.tolerance;
  to.max_iterations = o.max_iterations;
  to.check_every = o.check_every;
  to.restart = o.restart;
  to.check_symmetry = o.check_symmetry != 0;
  if constexpr (ComplexValue<T>) {
    if (o.preconditioner) throw_complex<T>("plan", "preconditioners are");
  } else if (o.preconditioner) {
    to.preconditioner = typed<T, solve::Preconditioner<T>>(o.preconditioner->of, "preconditioner");
  }
  to.callback = callback_of(o);
  to.stream = stream_of(plan, o.stream);
  return to;
}

template <Value T>
using Solver = solve::Result (*)(const Plan<T>&, std::span<const T>, std::span<T>,
                                 const solve::Options<T>&);

template <Value T>
Solver<T> solver_named(std::string_view name) {
  std::string all;
  const auto is = [&](std::string_view other) {
    all.append(all.empty() ? "" : ", ").append(other);
    return name == other;
  };
  if constexpr (ComplexValue<T>) {
    if (is("cg")) return &solve::cg<T>;
    if (is("bicgstab")) return &solve::bicgstab<T>;
    if (is("gmres")) return &solve::gmres<T>;
  } else {
    for (const solve::Method<T>& m : solve::methods<T>())
      if (is(m.name)) return m.solve;
  }
  throw InvalidArgument("no solver of " + std::string(words(value_type_of<T>)) + " is called '" +
                        std::string(name) + "'; there are " + all);
}

template <Value T>
nz_status run(const nz_plan* handle, const char* method, const T* b, T* x,
              const nz_solve_options* options, nz_solve_result* result) {
  return guarded([&] {
    const Plan<T>& plan = plan_of<T>(handle);
    const Solver<T> solver = solver_named<T>(&given(method, "method"));
    const nz_solve_options o = solve_options(options);
    const Report report(result, o);
    const auto [width, height] = lengths(plan, Op::none);
    report.tell(solver(plan, {array(b, height, "b"), height}, {array(x, width, "x"), width},
                       options_of<T>(plan, o)));
  });
}

// The same with a plan of a wide matrix, which is an operator to solvers.
template <Value T>
nz_status run_wide(const nz_wide_plan* handle, const char* method, const T* b, T* x,
                   const nz_solve_options* options, nz_solve_result* result) {
  return guarded([&] {
    const LinearOperator<T> a = solvable<T>(handle);
    const std::string_view name = &given(method, "method");
    solver_named<T>(name);  // says which there are
    const nz_solve_options o = solve_options(options);
    const Report report(result, o);
    const auto height = static_cast<std::size_t>(a.rows()),
               width = static_cast<std::size_t>(a.cols());
    for (const solve::Method<T>& m : solve::methods<T>())
      if (m.name == name)
        return report.tell(m.solve_operator(a, {array(b, height, "b"), height},
                                            {array(x, width, "x"), width}, options_of<T>(a, o)));
  });
}

// What PageRank and stationary distributions share, on a plan or an operator.
template <class Options, class Graph>
Options walk_of(const Graph& plan, const nz_walk_options& o) {
  Options to;
  to.tolerance = o.tolerance;
  to.max_iterations = o.max_iterations;
  to.callback = callback_of(o);
  to.check_every = o.check_every;
  to.transposed = o.transposed != 0;
  to.stream = stream_of(plan, o.stream);
  to.from_x = o.from_x != 0;
  return to;
}

template <RealValue T, class Graph>
solve::PageRankOptions<T> pagerank_of(const Graph& plan, const nz_walk_options& o) {
  auto to = walk_of<solve::PageRankOptions<T>>(plan, o);
  to.damping = o.damping;
  if (o.personalisation)
    to.personalisation = {static_cast<const T*>(o.personalisation),
                          static_cast<std::size_t>(plan.rows())};
  return to;
}

// PageRank or a stationary distribution: walk(plan, x, options).
template <RealValue T, class Handle, class Walk>
nz_status walked(const Handle* handle, T* x, const nz_walk_options* options,
                 nz_solve_result* result, Walk&& walk) {
  return guarded([&] {
    const auto& plan = solvable<T>(handle);
    const nz_walk_options o = walk_options(options);
    const Report report(result, o);
    const auto rows = static_cast<std::size_t>(plan.rows());
    report.tell(walk(plan, std::span<T>(array(x, rows, "x"), rows), o));
  });
}

template <RealValue T, class Handle>
nz_status ranked(const Handle* handle, T* x, const nz_walk_options* options,
                 nz_solve_result* result) {
  return walked(handle, x, options, result,
                [](const auto& plan, std::span<T> to, const nz_walk_options& o) {
                  return solve::pagerank(plan, to, pagerank_of<T>(plan, o));
                });
}

template <RealValue T, class Handle>
nz_status ranked_several(const Handle* handle, std::int32_t count, const T* p, nz_layout p_layout,
                         std::int64_t p_leading, T* x, nz_layout x_layout, std::int64_t x_leading,
                         const nz_walk_options* options, nz_solve_result* result) {
  return guarded([&] {
    const auto& plan = solvable<T>(handle);
    if (count < 1) throw InvalidArgument("count is " + std::to_string(count) + ", below 1");
    const nz_walk_options o = walk_options(options);
    const Report report(result, o);
    const auto rows = static_cast<std::size_t>(plan.rows());
    const DenseView<const T> from{array(p, rows, "p"), plan.rows(), count, layout_of(p_layout),
                                  p_leading};
    const DenseView<T> to{array(x, rows, "x"), plan.rows(), count, layout_of(x_layout), x_leading};
    report.tell(solve::pagerank(plan, from, to, pagerank_of<T>(plan, o)));
  });
}

template <RealValue T, class Handle>
nz_status settled(const Handle* handle, T* x, const nz_walk_options* options,
                  nz_solve_result* result) {
  return walked(handle, x, options, result,
                [](const auto& plan, std::span<T> to, const nz_walk_options& o) {
                  auto settings = walk_of<solve::StationaryOptions>(plan, o);
                  settings.laziness = o.laziness;
                  return solve::stationary(plan, to, settings);
                });
}

// The largest eigenvalue of what has real numbers.
template <RealValue T, class A>
void largest(const A& a, double* value, const nz_solve_options& o, const Report& report) {
  const solve::Eigenvalue found = solve::largest_eigenvalue(a, options_of<T>(a, o));
  *value = found.value;
  report.tell(found);
}

}  // namespace
}  // namespace nz::c

using namespace nz::c;

#define NZ_DEFINE(name, T, factor, address)                                             \
  nz_status nz_solve_##name(const nz_plan* plan, const char* method, const T* b, T* x,  \
                            const nz_solve_options* options, nz_solve_result* result) { \
    return run(plan, method, b, x, options, result);                                    \
  }
NZ_C_ALL(NZ_DEFINE)
#undef NZ_DEFINE
#define NZ_DEFINE(name, T, factor, address)                                                      \
  nz_status nz_solve_wide_##name(const nz_wide_plan* plan, const char* method, const T* b, T* x, \
                                 const nz_solve_options* options, nz_solve_result* result) {     \
    return run_wide(plan, method, b, x, options, result);                                        \
  }
NZ_C_REAL(NZ_DEFINE)
#undef NZ_DEFINE
// Of plans, and of those of wide matrices.
#define NZ_DEFINE_FOR(handle, of, of_several, name, T)                                            \
  nz_status nz_pagerank##of##name(const handle* plan, T* x, const nz_walk_options* options,       \
                                  nz_solve_result* result) {                                      \
    return ranked(plan, x, options, result);                                                      \
  }                                                                                               \
  nz_status nz_pagerank##of_several##name(                                                        \
      const handle* plan, int32_t count, const T* p, nz_layout p_layout, int64_t p_leading, T* x, \
      nz_layout x_layout, int64_t x_leading, const nz_walk_options* options,                      \
      nz_solve_result* result) {                                                                  \
    return ranked_several(plan, count, p, p_layout, p_leading, x, x_layout, x_leading, options,   \
                          result);                                                                \
  }                                                                                               \
  nz_status nz_stationary##of##name(const handle* plan, T* x, const nz_walk_options* options,     \
                                    nz_solve_result* result) {                                    \
    return settled(plan, x, options, result);                                                     \
  }
#define NZ_DEFINE(name, T, factor, address)     \
  NZ_DEFINE_FOR(nz_plan, _, _several_, name, T) \
  NZ_DEFINE_FOR(nz_wide_plan, _wide_, _wide_several_, name, T)
NZ_C_REAL(NZ_DEFINE)
#undef NZ_DEFINE
#undef NZ_DEFINE_FOR

nz_status nz_largest_eigenvalue(const nz_plan* plan, double* value, const nz_solve_options* options,
                                nz_solve_result* result) {
  return guarded([&] {
    given(value, "value");
    const nz_solve_options o = solve_options(options);
    const Report report(result, o);
    with_real_plan(plan, "this eigenvalue is",
                   [&]<nz::RealValue T>(const nz::Plan<T>& p) { largest<T>(p, value, o, report); });
  });
}
nz_status nz_largest_eigenvalue_wide(const nz_wide_plan* plan, double* value,
                                     const nz_solve_options* options, nz_solve_result* result) {
  return guarded([&] {
    given(value, "value");
    const nz_solve_options o = solve_options(options);
    const Report report(result, o);
    with_wide(plan, [&]<nz::RealValue T>(const nz::WidePlan<T>& p) {
      largest<T>(nz::LinearOperator<T>(p), value, o, report);
    });
  });
}
