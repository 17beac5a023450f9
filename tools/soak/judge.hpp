#pragma once
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/plan.hpp>
#include <nonzero/truth.hpp>

#include "soak/case.hpp"

namespace nz::trials {

// Something that must not be. Not one of the library's exceptions.
struct Found : std::runtime_error {
  Found(std::string k, const std::string& what) : std::runtime_error(what), kind(std::move(k)) {}
  std::string kind;  // "wrong product"
};

// What a plan took for op, and from which matrix it was prepared.
struct Taken {
  const Kernel* kernel = nullptr;
  Parameters parameters{};
  bool transposed = false;
  Device device{};

  Op inner(Op op) const { return (op == Op::none) != transposed ? Op::none : Op::transpose; }
  bool supports(Op op) const { return kernel->supports(inner(op)); }
  bool repeats(Op op) const {
    return Candidate{.kernel = kernel, .parameters = parameters, .transposed = transposed}.repeats(
        op);
  }
};

template <class T>
Taken taken_for(const Plan<T>& plan, const PlanOptions& options, Op op) {
  if (op == Op::transpose && plan.stores_transpose()) {
    if (!options.kernel.empty()) return {&plan.kernel(), plan.parameters(), true, plan.device()};
    const Candidate& second = plan.explain().candidates.at(1);
    return {second.kernel, second.kernel->resolve(second.parameters), second.transposed,
            plan.device()};
  }
  return {&plan.kernel(), plan.parameters(), plan.transposed(), plan.device()};
}

// The formula for an alpha that is no number, which has no bound: only the class of each element.
// Rows whose sum is not certain to be above zero or below it are left alone; with atomics that take
// subnormals for 0, each addition may lose the smallest normal number twice (nonzero/truth.hpp).
// Returns how many those were.
template <class T, class O>
std::int64_t judge_class(const CsrView<T, O>& a, Op op, T alpha, std::span<const T> x, T beta,
                         std::span<const T> before, std::span<const T> computed, bool flushes) {
  using limits = std::numeric_limits<T>;
  struct Sum {
    long double sum = 0, size = 0;
    int terms = 0;
    bool tiny = false;  // a term that T may have lost
  };
  std::vector<Sum> sums(computed.size());
  for (index_t i = 0; i < a.rows; ++i)
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      const auto row = static_cast<std::size_t>(op == Op::none ? i : a.columns[k]);
      const auto at = static_cast<std::size_t>(op == Op::none ? a.columns[k] : i);
      const auto term = static_cast<long double>(a.values[k]) * static_cast<long double>(x[at]);
      Sum& s = sums[row];
      s.sum += term;
      s.size += std::abs(term);
      ++s.terms;
      s.tiny |= term != 0 && std::abs(term) < static_cast<long double>(limits::min());
    }
  std::int64_t left_alone = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Sum& s = sums[i];
    const auto lost = flushes ? (2 * s.terms + 1) * static_cast<long double>(limits::min()) : 0;
    const auto room = (s.terms + 3) * static_cast<long double>(limits::epsilon()) * s.size + lost;
    const bool certain =
        s.size == 0 || !std::isfinite(s.sum) ||
        (std::abs(s.sum) > room && s.size < static_cast<long double>(limits::max()));
    if (s.tiny || !certain) {
      ++left_alone;
      continue;
    }
    const T sum = std::isfinite(s.sum) ? (s.sum > 0   ? T(1)
                                          : s.sum < 0 ? T(-1)
                                                      : T(0))
                                       : static_cast<T>(s.sum);
    const T exact = beta == T(0) ? alpha * sum : alpha * sum + beta * before[i];
    if (std::isnan(exact) ? !std::isnan(computed[i]) : exact != computed[i])
      throw Found("wrong class",
                  fmt::format("row {}: {}, the formula gives {}", i, computed[i], exact));
  }
  return left_alone;
}

// Throws Found where y is not alpha op(A) x + beta before, A with duplicates summed in the order
// given. Returns how many rows had no bound.
template <class T, class O>
std::int64_t judge(const Taken& taken, const CsrView<T, O>& given, Op op, T alpha,
                   std::span<const T> x, T beta, std::span<const T> before,
                   std::span<const T> computed) {
  const auto sorted = csr_from_arrays<T, O>(
      given.rows, given.cols, std::span(given.offsets, static_cast<std::size_t>(given.rows) + 1),
      std::span(given.columns, static_cast<std::size_t>(given.nnz)),
      std::span(given.values, static_cast<std::size_t>(given.nnz)));
  const CsrView<T, O> a = sorted.view();
  const Op inner = taken.inner(op);
  const bool flushes = taken.kernel->flushes(inner, value_type_of<T>, taken.device.kind);
  if (!std::isfinite(alpha)) {
    // A kernel that multiplies zeros that it filled in, or shares sums of rows, spreads infinities.
    bool finite = true;
    for (const T v : x) finite = finite && std::isfinite(v);
    for (O k = 0; k < a.nnz; ++k) finite = finite && std::isfinite(a.values[k]);
    if (taken.kernel->shared_rounding > 0 || (taken.kernel->with_fill && !finite))
      return static_cast<std::int64_t>(computed.size());
    return judge_class(a, op, alpha, x, beta, before, computed, flushes);
  }
  bool finite_x = true;
  for (const T v : x) finite_x = finite_x && std::isfinite(v);
  Reference<T> exact;
  if (taken.kernel->with_fill && !finite_x) {
    const auto wide = csr_cast<double, std::int64_t>(sorted.view());
    const auto from = taken.transposed ? transpose(wide.view()) : wide;
    const auto filled =
        csr_cast<T, O>(taken.kernel->with_fill(from.view(), taken.parameters).view());
    exact = exact_product<T, O>(filled.view(), inner, alpha, x, beta, before);
  } else {
    exact = exact_product<T, O>(a, op, alpha, x, beta, before);
  }
  if (inner == Op::none && taken.kernel->shared_rounding > 0) {
    const auto from = taken.transposed ? transpose(sorted.view()) : sorted;
    exact = widened<T, O>(exact, from.view(), alpha, x, taken.kernel->shared_rounding);
  }
  if (flushes) exact = flushed(exact, a, op, alpha);
  const Verdict v = exact.judge(computed);
  if (!v.right()) throw Found("wrong product", v.message());
  return v.unjudged;
}

}  // namespace nz::trials
