#include <complex>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/solve.hpp>

#include "support/devices.hpp"

namespace nz::solve {
namespace {

// A chain in a magnetic field: 2.2 on the diagonal, -exp(i phase) beside it. Hermitian and positive
// definite; with `shift` i on the diagonal it is neither.
template <class T>
Csr<T, std::int32_t> chain(index_t n, double phase, double shift = 0) {
  using R = typename T::value_type;
  std::vector<index_t> row, column;
  std::vector<T> value;
  const T right(static_cast<R>(-std::cos(phase)), static_cast<R>(-std::sin(phase)));
  for (index_t i = 0; i < n; ++i) {
    const auto put = [&](index_t j, T v) {
      row.push_back(i);
      column.push_back(j);
      value.push_back(v);
    };
    put(i, T(static_cast<R>(2.2), static_cast<R>(shift)));
    if (i + 1 < n) put(i + 1, right);
    if (i > 0) put(i - 1, std::conj(right));
  }
  return csr_from_triplets<T, std::int32_t>(n, n, row, column, value);
}

template <class T>
std::vector<T> drawn(std::size_t n) {
  std::mt19937_64 random(std::random_device{}());
  std::uniform_real_distribution<typename T::value_type> part(-1, 1);
  std::vector<T> v(n);
  for (T& z : v) {
    const auto re = part(random);
    z = {re, part(random)};
  }
  return v;
}

template <class T, class Solve>
void expect_solved(const Csr<T, std::int32_t>& a, Device device, double tolerance, Solve&& solve) {
  const auto n = static_cast<std::size_t>(a.rows);
  const auto p = plan(a.view(), {.device = device, .op = both_ops});
  const std::vector<T> known = drawn<T>(n);
  std::vector<T> b(n), x(n, T(0));
  p.multiply(1, known, 0, b);
  Options<T> options{.tolerance = tolerance, .max_iterations = 400};
  int told = -1;
  options.callback = [&](int iteration, double) { return ++told == iteration; };
  const Result r = solve(p, b, x, options);
  EXPECT_EQ(r.reason, Stop::converged) << r.message;
  EXPECT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
  EXPECT_EQ(told, r.iterations);
  EXPECT_LT(true_residual(a.view(), b, x), 5 * tolerance);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    worst = std::max(worst, static_cast<double>(std::abs(x[i] - known[i])));
  EXPECT_LT(worst, 500 * tolerance);
}

template <class T>
void expect_all_solve(Device device, index_t n, double tolerance) {
  const auto definite = chain<T>(n, 0.7), other = chain<T>(n, 0.7, 0.9);
  const auto with = [](auto method) {
    return [method](const Plan<T>& p, const std::vector<T>& b, std::vector<T>& x,
                    const Options<T>& o) { return method(p, b, x, o); };
  };
  const auto by_cg = with([](auto&... a) { return cg(a...); });
  const auto by_bicgstab = with([](auto&... a) { return bicgstab(a...); });
  const auto by_gmres = with([](auto&... a) { return gmres(a...); });
  expect_solved<T>(definite, device, tolerance, by_cg);
  expect_solved<T>(definite, device, tolerance, by_gmres);
  expect_solved<T>(other, device, tolerance, by_bicgstab);
  expect_solved<T>(other, device, tolerance, by_gmres);
}

TEST(ComplexSolve, KnownSolutions) {
  expect_all_solve<std::complex<double>>(cpu_device, 200, 1e-10);
  expect_all_solve<std::complex<float>>(cpu_device, 60, 1e-5);
}

TEST(ComplexSolve, OnTheEmulator) {
  NZ_NEEDS_EMULATOR();
  expect_all_solve<std::complex<double>>(emulator_device, 20, 1e-10);
}

// A complex symmetric matrix is not Hermitian: its transpose alone is itself.
TEST(ComplexSolve, CgLooksForHermitianMatrices) {
  using C = std::complex<double>;
  const Csr<C, std::int32_t> a{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {4, {0, 1}, {0, 1}, 4}};
  const auto p = plan(a.view(), {.op = both_ops});
  const std::vector<C> b{1, 1};
  std::vector<C> x(2);
  const Result r = cg(p, b, x);
  EXPECT_EQ(r.reason, Stop::not_symmetric);
  EXPECT_NE(r.message.find("Hermitian"), std::string::npos);
  EXPECT_EQ(bicgstab(p, b, x).reason, Stop::converged);
}

TEST(ComplexSolve, Ends) {
  using C = std::complex<double>;
  const auto a = chain<C>(50, 0.3, 0.5);
  const auto p = plan(a.view());
  const std::vector<C> b = drawn<C>(50), zero(50, C(0));
  std::vector<C> x = drawn<C>(50);
  EXPECT_EQ(gmres(p, zero, x).reason, Stop::converged);
  EXPECT_EQ(x, zero);
  EXPECT_EQ(bicgstab(p, b, x, {.tolerance = 1e-12, .max_iterations = 2}).reason,
            Stop::iteration_limit);
  EXPECT_EQ(gmres(p, b, x, {.callback = [](int, double) { return false; }}).reason, Stop::stopped);
  std::vector<C> with_nan = b;
  with_nan[3] = {0, NAN};
  EXPECT_EQ(bicgstab(p, with_nan, x).reason, Stop::not_a_number);
  std::vector<C> few(49);
  EXPECT_THROW(cg(p, b, few), InvalidArgument);
  const Csr<C, std::int32_t> negative{1, 1, {0, 1}, {0}, {-1}};
  std::vector<C> one(1);
  EXPECT_EQ(cg(plan(negative.view()), std::vector<C>{1}, one).reason, Stop::not_definite);
  const Csr<C, std::int32_t> nothing{1, 1, {0, 0}, {}, {}};
  EXPECT_EQ(bicgstab(plan(nothing.view()), std::vector<C>{1}, one).reason, Stop::breakdown);
  EXPECT_EQ(gmres(plan(nothing.view()), std::vector<C>{1}, one).reason, Stop::breakdown);
}

}  // namespace
}  // namespace nz::solve
