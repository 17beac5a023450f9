#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/solve.hpp>

#include "c/given.hpp"

// Solvers of complex systems in C.
namespace nz::test {
namespace {

template <class T>
class CComplexSolve : public testing::Test {};
using Types = testing::Types<nz_c64, nz_c128>;
TYPED_TEST_SUITE(CComplexSolve, Types);

template <class T>
constexpr double tolerance = sizeof(T) == 8 ? 1e-5 : 1e-9;

// A chain in a magnetic field: 2.2 on the diagonal, -exp(i phase) beside it. Hermitian and positive
// definite; with `shift` i on the diagonal it is neither.
template <class T>
Csr<T, std::int32_t> chain(index_t n, double phase, double shift = 0) {
  using R = real_of<T>;
  std::vector<index_t> row, column;
  std::vector<T> value;
  const T right(static_cast<R>(-std::cos(phase)), static_cast<R>(-std::sin(phase)));
  for (index_t i = 0; i < n; ++i)
    for (index_t j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
      row.push_back(i);
      column.push_back(j);
      value.push_back(i == j  ? T(static_cast<R>(2.2), static_cast<R>(shift))
                      : j > i ? right
                              : std::conj(right));
    }
  return csr_from_triplets<T, std::int32_t>(n, n, row, column, value);
}

template <class T>
std::vector<T> drawn(std::size_t n) {
  std::mt19937_64 random(std::random_device{}());
  std::uniform_real_distribution<real_of<T>> part(-1, 1);
  std::vector<T> v(n);
  for (T& z : v) {
    const auto re = part(random);
    z = {re, part(random)};
  }
  return v;
}

nz_solve_options options_of(double wanted) {
  nz_solve_options o;
  EXPECT_EQ(nz_solve_options_init(&o, sizeof o), NZ_OK);
  o.tolerance = wanted;
  return o;
}

TYPED_TEST(CComplexSolve, EveryMethodSolves) {
  using T = TypeParam;
  for (const std::string method : {"cg", "bicgstab", "gmres"}) {
    const auto a = chain<T>(60, 0.7, method == "cg" ? 0 : 0.9);
    const PlanHandle plan = planned(borrowed(a));
    const std::vector<T> b = drawn<T>(60);
    nz_solve_options o = options_of(tolerance<T>);
    std::vector<double> history(500, -1);
    o.history = history.data();
    o.history_room = 500;
    nz_solve_result r = empty_result();
    std::vector<T> x(60, T(0));
    ASSERT_EQ(C<T>::solve(plan.get(), method.c_str(), b.data(), x.data(), &o, &r), NZ_OK)
        << nz_last_error();
    EXPECT_EQ(r.reason, NZ_CONVERGED) << method << ": " << r.message;
    EXPECT_EQ(r.converged, 1);
    EXPECT_LE(r.residual, o.tolerance);
    ASSERT_EQ(r.history_length, r.iterations + 1);
    EXPECT_EQ(history[static_cast<std::size_t>(r.iterations)], r.residual);
    EXPECT_EQ(history[static_cast<std::size_t>(r.iterations) + 1], -1);
    EXPECT_LT(solve::true_residual(a.view(), b, x), 20 * tolerance<T>) << method;
  }
}

std::int32_t stop_at_once(std::int32_t, double, void* data) { return ++*static_cast<int*>(data); }

TYPED_TEST(CComplexSolve, SaysWhyItEnded) {
  using T = TypeParam;
  const auto a = chain<T>(40, 0.3, 0.5);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> b = drawn<T>(40);
  std::vector<T> x(40, T(0));
  nz_solve_result r = empty_result();
  nz_solve_options o = options_of(tolerance<T>);
  ASSERT_EQ(C<T>::solve(plan.get(), "cg", b.data(), x.data(), &o, &r), NZ_OK);
  EXPECT_EQ(r.reason, NZ_NOT_SYMMETRIC) << r.message;
  EXPECT_EQ(r.converged, 0);
  o.max_iterations = 2;
  ASSERT_EQ(C<T>::solve(plan.get(), "bicgstab", b.data(), x.data(), &o, &r), NZ_OK);
  EXPECT_EQ(r.reason, NZ_ITERATION_LIMIT);
  int calls = 0;
  o.callback = stop_at_once;
  o.callback_data = &calls;
  ASSERT_EQ(C<T>::solve(plan.get(), "gmres", b.data(), x.data(), &o, &r), NZ_OK);
  EXPECT_EQ(r.reason, NZ_STOPPED);
  EXPECT_EQ(calls, 1);
}

TYPED_TEST(CComplexSolve, RefusesWhatMakesNoSense) {
  using T = TypeParam;
  const auto a = chain<T>(8, 0.7);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> b(8, T(1));
  std::vector<T> x(8, T(0));
  const std::vector<T> before = x;
  EXPECT_EQ(C<T>::solve(plan.get(), "lsqr", b.data(), x.data(), nullptr, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("'lsqr'; there are cg, bicgstab, gmres"));
  EXPECT_EQ(C<T>::solve(plan.get(), nullptr, b.data(), x.data(), nullptr, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::solve(nullptr, "cg", b.data(), x.data(), nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::solve(plan.get(), "cg", nullptr, x.data(), nullptr, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::solve(plan.get(), "cg", b.data(), nullptr, nullptr, nullptr),
            NZ_INVALID_ARGUMENT);
  nz_solve_result r = empty_result();
  r.size = 0;
  EXPECT_EQ(C<T>::solve(plan.get(), "cg", b.data(), x.data(), nullptr, &r), NZ_INVALID_ARGUMENT);
  // Preconditioners are of real numbers, and so are their plans.
  const auto real = bar<real_of<T>>(8);
  nz_preconditioner* p = nullptr;
  ASSERT_EQ(nz_preconditioner_jacobi(&p, borrowed(real).get(), 1, nullptr), NZ_OK);
  const PreconditionerHandle jacobi(p);
  nz_solve_options o = options_of(tolerance<T>);
  o.preconditioner = p;
  EXPECT_EQ(C<T>::solve(plan.get(), "cg", b.data(), x.data(), &o, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("preconditioners are of real numbers"));
  EXPECT_EQ(C<real_of<T>>::solve(plan.get(), "cg", nullptr, nullptr, nullptr, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is of complex"));
  EXPECT_EQ(x, before);
}

}  // namespace
}  // namespace nz::test
