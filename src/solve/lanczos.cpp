#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/system.hpp"

namespace nz::solve {
namespace {

// The largest eigenvalue of a symmetric tridiagonal matrix, and how much of its vector of length 1
// lies in the last place. log: alpha, beta, alpha, beta, ... ; the last beta is outside.
struct Ritz {
  double value = 0, last = 1;
};

// Eigenvalues above t: by Sturm's count.
int above(std::span<const double> log, std::size_t k, double t) {
  int count = 0;
  double pivot = 1;
  for (std::size_t i = 0; i < k; ++i) {
    const double before = i == 0 ? 0 : log[2 * i - 1];
    pivot = log[2 * i] - t - (i == 0 ? 0 : before * before / pivot);
    if (pivot == 0) pivot = 1e-300;
    count += pivot > 0;
  }
  return count;
}

Ritz largest(std::span<const double> log) {
  const std::size_t k = log.size() / 2;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < k; ++i) {
    const double reach =
        (i > 0 ? std::abs(log[2 * i - 1]) : 0) + (i + 1 < k ? std::abs(log[2 * i + 1]) : 0);
    low = std::min(low, log[2 * i] - reach);
    high = std::max(high, log[2 * i] + reach);
  }
  const double width = std::max(std::abs(low), std::abs(high));
  while (high - low > 4e-16 * width && std::isfinite(width)) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (above(log, k, middle) > 0 ? low : high) = middle;
  }
  // Two steps of inverse iteration, just above it, where all pivots have one sign.
  const double t = high + 1e-14 * width + 1e-300;
  std::vector<double> v(k, 1.0), pivot(k);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < k; ++i) {
      const double b = i == 0 ? 0 : log[2 * i - 1];
      pivot[i] = log[2 * i] - t - (i == 0 ? 0 : b * b / pivot[i - 1]);
      if (pivot[i] == 0) pivot[i] = -1e-300;
      if (i > 0) v[i] -= b / pivot[i - 1] * v[i - 1];
    }
    double norm = 0;
    for (std::size_t i = k; i-- > 0;) {
      v[i] = (v[i] - (i + 1 < k ? log[2 * i + 1] * v[i + 1] : 0)) / pivot[i];
      norm += v[i] * v[i];
    }
    norm = std::sqrt(norm);
    for (double& e : v) e /= norm;
  }
  return {high, std::abs(v.back())};
}

}  // namespace

template <RealValue T>
Eigenvalue largest_eigenvalue(const LinearOperator<T>& a,
                              const Options<std::type_identity_t<T>>& options) try {
  if (a.rows() != a.cols() || a.rows() == 0)
    throw InvalidArgument(fmt::format(
        "eigenvalues need a square matrix with rows, this one is {} x {}", a.rows(), a.cols()));
  if (!a.supports(Op::none))
    throw InvalidArgument(a.name() + " has no product but the transposed one");
  check_settings(options.tolerance, options.max_iterations, options.check_every);
  const auto n = static_cast<std::size_t>(a.rows());
  SolverWorkspace<T> m(a.device(), a.threads(),
                       {.tolerance = 0,
                        .max_iterations = options.max_iterations,
                        .check_every = options.check_every > 0 ? options.check_every : 10,
                        .stream = options.stream,
                        .scalars = 6,
                        .logged_per_iteration = 2,
                        .captures = a.captures()});
  Eigenvalue e;
  if (options.check_symmetry)
    if (const std::string why = why_not_symmetric(m, a); !why.empty()) {
      e.reason = Stop::not_symmetric;
      e.message = "Lanczos needs a symmetric matrix: " + why;
      return e;
    }
  const Slot alpha = m.scalar(), beta = m.scalar(), one = m.scalar(), by = m.scalar();
  T *v = m.vector(n), *before = m.vector(n), *w = m.vector(n);
  std::vector<T> start(n);
  for (std::size_t i = 0; i < n; ++i)
    start[i] = static_cast<T>(1 + 0.5 * std::sin(static_cast<double>(i) * 1.61803398875));
  m.put(v, start);
  m.pass(n)
      .dot(v, v, by)
      .fill(before, 0.0)
      .then({set(one, 1), root(by, by), divide(by, one, by), set(beta, 0)});
  m.pass(n).scale(v, by).then();
  std::vector<double> history;
  const auto look = [&] {
    const Ritz r = largest(m.log());
    const double bound = m.log().empty() ? 1 : std::abs(m.log().back() * r.last);
    e.value = r.value;
    history.push_back(r.value == 0 ? bound : bound / std::abs(r.value));
    if (history.back() <= options.tolerance)
      m.decide(Stop::converged);
    else if (options.callback && !options.callback(m.iterations(), history.back()))
      m.decide(Stop::stopped);
  };
  if (options.max_iterations == 0) m.decide(Stop::iteration_limit);
  m.repeat(
      [&] {
        m.multiply(a, Op::none, v, w);
        m.pass(n).dot(w, v, alpha).then({next(), push(alpha)});
        m.pass(n)
            .update(w, -alpha, v)
            .update(w, -beta, before)
            .dot(w, w, beta)
            .then({root(beta, beta), record(beta), next(), divide(by, one, beta)});
        m.pass(n).copy(before, v).update(v, by, w, 0.0).then();
      },
      look);
  if (e.reason = m.result().reason; e.reason != Stop::not_a_number && !m.log().empty()) {
    if (e.reason == Stop::converged || e.reason == Stop::iteration_limit) {
      const Ritz r = largest(m.log());
      e.value = r.value;
      const double bound = std::abs(m.log().back() * r.last);
      history.push_back(r.value == 0 ? bound : bound / std::abs(r.value));
      if (history.back() <= options.tolerance) e.reason = Stop::converged;
    }
  }
  e.iterations = m.iterations();
  e.history = std::move(history);
  e.residual = e.history.empty() ? 0 : e.history.back();
  e.seconds = m.result().seconds;
  e.replayed = m.result().replayed;
  e.message = fmt::format("{} after {} iterations, residual {:.3g}", name(e.reason), e.iterations,
                          e.residual);
  return e;
}
NZ_OR_NO_MEMORY("largest eigenvalue")

#define NZ_INSTANTIATE(T) \
  template Eigenvalue largest_eigenvalue(const LinearOperator<T>&, const Options<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
