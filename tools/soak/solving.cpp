#include <cmath>
#include <numeric>

#include <nonzero/error.hpp>
#include <nonzero/solve.hpp>

#include "soak/trial.hpp"
#include "soak/vectors.hpp"

namespace nz::trials {
namespace {

template <class T>
Tally solve_system(Draw& draw, const Limits& limits, const std::string& place) {
  Tally tally;
  const auto all = solve::methods<T>();
  const auto& method = all[draw.below(all.size())];
  const bool symmetric = method.name == "cg" || draw.one_in(2);
  const index_t most = place == "emu" ? 60 : std::min<index_t>(limits.rows, 600);
  const Drawn drawn = draw_system(draw, most, symmetric);
  const auto a = csr_cast<T, std::int32_t>(drawn.matrix.view());
  const auto n = static_cast<std::size_t>(a.rows);
  const std::vector<T> b = numbers<T>(draw.endless(), n, Scale::ordinary);
  std::vector<T> x(n, T(0));
  const double tolerance = sizeof(T) == 8 ? 1e-9 : 1e-4;
  solve::Options<T> options{.tolerance = tolerance, .max_iterations = 500};
  if (method.name != "lsqr" && draw.one_in(2))
    options.preconditioner = solve::jacobi(a.view(), device_named(place));
  const auto plan = nz::plan(a.view(), {.threads = draw.between(1, 3),
                                        .device = device_named(place),
                                        .op = both_ops,
                                        .cache = {false}});
  const solve::Result r = method.solve(plan, b, x, options);
  ++tally.solves;
  const std::string what = fmt::format("{} on {}, {}, {}: {}", method.name, drawn.name, place,
                                       name(value_type_of<T>), r.message);
  if (!r.ok()) {
    // Conjugate gradients have no reason not to arrive; methods of two sides may break down.
    if (method.name == "cg") throw Found("not solved", what);
    ++tally.unsolved;
    return tally;
  }
  const double truth = solve::true_residual(a.view(), b, std::span<const T>(x));
  // Solvers compute the residual themselves, but for the rounding of a product.
  if (!(truth <= 1.1 * tolerance))
    throw Found("wrong solution", fmt::format("{}; true residual {}", what, truth));
  return tally;
}

// x = damping * P'x + rest spread alike, checked by one step in double.
template <class T>
Tally rank_pages(Draw& draw, const Limits& limits, const std::string& place) {
  const auto nodes = draw.between<index_t>(1, place == "emu" ? 60 : std::min(limits.rows, 500));
  Draw random = draw.endless();
  std::vector<index_t> from, to;
  for (index_t i = 0; i < nodes; ++i)
    for (auto k = random.below(6); k > 0; --k)
      from.push_back(i), to.push_back(random.between<index_t>(0, nodes - 1));
  const std::vector<T> ones(from.size(), T(1));
  const auto a = csr_from_triplets<T, std::int32_t>(nodes, nodes, from, to, ones);
  const auto plan =
      nz::plan(a.view(), {.device = device_named(place), .op = both_ops, .cache = {false}});
  const auto n = static_cast<std::size_t>(nodes);
  std::vector<T> x(n);
  solve::PageRankOptions<T> options;
  options.tolerance = sizeof(T) == 8 ? 1e-10 : 1e-4;
  const solve::Result r = solve::pagerank(plan, std::span<T>(x), options);
  if (!r.ok()) throw Found("not solved", "pagerank on " + place + ": " + r.message);
  std::vector<double> next(n, 0);
  double hanging = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double weight = 0;
    for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k) weight += a.values[k];
    if (weight == 0) hanging += x[i];
    for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      next[static_cast<std::size_t>(a.columns[k])] += a.values[k] / weight * x[i];
  }
  double change = 0, sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double even = 1 / static_cast<double>(n);
    const double v = options.damping * (next[i] + hanging * even) + (1 - options.damping) * even;
    change += std::abs(v - x[i]);
    sum += x[i];
  }
  const double most = 20 * options.tolerance;
  if (!(change <= most) || !(std::abs(sum - 1) <= most))
    throw Found("wrong solution", fmt::format("pagerank of {} nodes on {}: sum {}, a step more "
                                              "changes {}",
                                              nodes, place, sum, change));
  return {.solves = 1};
}

}  // namespace

Tally solve_something(Draw& draw, const Limits& limits) {
  const std::string place = limits.devices[draw.below(limits.devices.size())];
  const bool single = draw.one_in(2), pages = draw.one_in(4);
  Tally tally = pages ? (single ? rank_pages<float>(draw, limits, place)
                                : rank_pages<double>(draw, limits, place))
                      : (single ? solve_system<float>(draw, limits, place)
                                : solve_system<double>(draw, limits, place));
  ++tally.cases;
  return tally;
}

}  // namespace nz::trials
