#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/solve.hpp>

#include "c/given.hpp"

namespace nz::test {
namespace {

template <class T>
class CSolve : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CSolve, Types);

nz_solve_options solve_options() {
  nz_solve_options o;
  EXPECT_EQ(nz_solve_options_init(&o, sizeof o), NZ_OK);
  return o;
}

template <class T>
constexpr double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-9;

PreconditionerHandle jacobi(const Matrix& m, std::int32_t block = 1) {
  nz_preconditioner* p = nullptr;
  EXPECT_EQ(nz_preconditioner_jacobi(&p, m.get(), block, nullptr), NZ_OK) << nz_last_error();
  return PreconditionerHandle(p);
}

TEST(CSolveOptions, BeginAsInCpp) {
  const nz_solve_options o = solve_options();
  const solve::Options<double> cpp;
  EXPECT_EQ(o.size, sizeof o);
  EXPECT_EQ(o.tolerance, cpp.tolerance);
  EXPECT_EQ(o.max_iterations, cpp.max_iterations);
  EXPECT_EQ(o.restart, cpp.restart);
  EXPECT_EQ(o.check_symmetry, 1);
  EXPECT_EQ(o.preconditioner, nullptr);
  const nz_walk_options w = walk_options();
  EXPECT_EQ(w.damping, solve::PageRankOptions<double>{}.damping);
  EXPECT_EQ(w.tolerance, solve::PowerOptions{}.tolerance);
}

TYPED_TEST(CSolve, EveryMethodSolves) {
  using T = TypeParam;
  const auto a = bar<T>(40);
  const Matrix m = borrowed(a);
  nz_plan_options both = plan_options();
  both.op = NZ_BOTH;
  const PlanHandle plan = planned(m, &both);
  const PreconditionerHandle point = jacobi(m), block = jacobi(m, 8);
  const std::vector<T> b = numbers<T>(40);
  for (const auto& method : solve::methods<T>())
    for (const nz_preconditioner* p :
         {(const nz_preconditioner*)nullptr, (const nz_preconditioner*)point.get(),
          (const nz_preconditioner*)block.get()}) {
      if (p && method.name == "lsqr") continue;
      nz_solve_options o = solve_options();
      o.tolerance = tolerance<T>;
      o.preconditioner = p;
      std::vector<double> history(2000, -1);
      o.history = history.data();
      o.history_room = 2000;
      nz_solve_result r = empty_result();
      std::vector<T> x(40, T(0));
      ASSERT_EQ(
          C<T>::solve(plan.get(), std::string(method.name).c_str(), b.data(), x.data(), &o, &r),
          NZ_OK)
          << method.name << ": " << nz_last_error();
      EXPECT_EQ(r.converged, 1) << method.name << ": " << r.message;
      EXPECT_EQ(r.reason, NZ_CONVERGED) << method.name;
      EXPECT_LE(r.residual, o.tolerance) << method.name;
      EXPECT_GT(r.iterations, 0);
      EXPECT_GE(r.seconds, 0);
      EXPECT_NE(std::string(r.message).find("converged"), std::string::npos) << r.message;
      EXPECT_LT(solve::true_residual(a.view(), b, x), 20 * tolerance<T>) << method.name;
      ASSERT_EQ(r.history_length, r.iterations + 1) << method.name;
      EXPECT_EQ(history[static_cast<std::size_t>(r.iterations)], r.residual);
      EXPECT_EQ(history[static_cast<std::size_t>(r.iterations) + 1], -1);
    }
}

TYPED_TEST(CSolve, WithoutOptionsAndResult) {
  using T = TypeParam;
  const auto a = bar<T>(4);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> b(4, T(1));
  std::vector<T> x(4, T(0));
  nz_solve_options o = solve_options();
  o.tolerance = tolerance<T>;
  EXPECT_EQ(C<T>::solve(plan.get(), "cg", b.data(), x.data(), &o, nullptr), NZ_OK);
  EXPECT_LT(solve::true_residual(a.view(), b, x), 1e-4);
  EXPECT_EQ(C<T>::solve(plan.get(), "gmres", b.data(), x.data(), nullptr, nullptr), NZ_OK);
}

TYPED_TEST(CSolve, HistoryHasNoMoreThanItsRoom) {
  using T = TypeParam;
  const auto a = bar<T>(40);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> b = numbers<T>(40);
  std::vector<T> x(40, T(0));
  nz_solve_options o = solve_options();
  o.tolerance = tolerance<T>;
  double history[4] = {-1, -1, -1, -1};
  o.history = history;
  o.history_room = 3;
  nz_solve_result r = empty_result();
  ASSERT_EQ(C<T>::solve(plan.get(), "cg", b.data(), x.data(), &o, &r), NZ_OK);
  EXPECT_GT(r.history_length, 3);
  EXPECT_NEAR(history[0], 1, 1e-6);
  EXPECT_GE(history[2], 0);
  EXPECT_EQ(history[3], -1);
}

struct Heard {
  int last = -1, calls = 0, end = 1 << 30;
};
std::int32_t hear(std::int32_t iteration, double residual, void* data) {
  Heard& heard = *static_cast<Heard*>(data);
  EXPECT_EQ(iteration, heard.last + 1);
  EXPECT_GE(residual, 0);
  heard.last = iteration;
  ++heard.calls;
  return iteration >= heard.end;
}

TYPED_TEST(CSolve, CallbackHearsAndStops) {
  using T = TypeParam;
  const auto a = bar<T>(40);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> b = numbers<T>(40);
  std::vector<T> x(40, T(0));
  nz_solve_options o = solve_options();
  o.tolerance = tolerance<T>;
  o.callback = hear;
  Heard all;
  o.callback_data = &all;
  nz_solve_result r = empty_result();
  ASSERT_EQ(C<T>::solve(plan.get(), "cg", b.data(), x.data(), &o, &r), NZ_OK);
  EXPECT_EQ(all.last, r.iterations);
  EXPECT_EQ(r.converged, 1);
  Heard few;
  few.end = 5;
  o.callback_data = &few;
  std::fill(x.begin(), x.end(), T(0));
  ASSERT_EQ(C<T>::solve(plan.get(), "cg", b.data(), x.data(), &o, &r), NZ_OK);
  EXPECT_EQ(few.last, 5);
  EXPECT_EQ(r.reason, NZ_STOPPED);
  EXPECT_EQ(r.converged, 0);
}

// A callback written in C++ may throw; it ends here.
std::int32_t throws(std::int32_t, double, void*) { throw std::logic_error("from a callback"); }
std::int32_t throws_a_number(std::int32_t, double, void*) { throw 17; }

TYPED_TEST(CSolve, NoExceptionLeaves) {
  using T = TypeParam;
  const auto a = bar<T>(40);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> b = numbers<T>(40);
  std::vector<T> x(40, T(0));
  nz_solve_options o = solve_options();
  o.callback = throws;
  EXPECT_EQ(C<T>::solve(plan.get(), "cg", b.data(), x.data(), &o, nullptr), NZ_INTERNAL);
  EXPECT_STREQ(nz_last_error(), "from a callback");
  o.callback = throws_a_number;
  EXPECT_EQ(C<T>::solve(plan.get(), "cg", b.data(), x.data(), &o, nullptr), NZ_INTERNAL);
}

TYPED_TEST(CSolve, SaysWhyItEnded) {
  using T = TypeParam;
  const std::vector<T> b = numbers<T>(40);
  std::vector<T> x(40, T(0));
  nz_solve_result r = empty_result();
  nz_solve_options o = solve_options();
  o.max_iterations = 2;
  const auto a = bar<T>(40);
  ASSERT_EQ(C<T>::solve(planned(borrowed(a)).get(), "cg", b.data(), x.data(), &o, &r), NZ_OK);
  EXPECT_EQ(r.reason, NZ_ITERATION_LIMIT);
  EXPECT_EQ(r.iterations, 2);
  auto lopsided = a;
  lopsided.values[1] = T(7);
  o.max_iterations = 100;
  ASSERT_EQ(C<T>::solve(planned(borrowed(lopsided)).get(), "cg", b.data(), x.data(), &o, &r),
            NZ_OK);
  EXPECT_EQ(r.reason, NZ_NOT_SYMMETRIC);
  auto negative = a;
  for (T& v : negative.values) v = -v;
  std::fill(x.begin(), x.end(), T(0));
  ASSERT_EQ(C<T>::solve(planned(borrowed(negative)).get(), "cg", b.data(), x.data(), &o, &r),
            NZ_OK);
  EXPECT_EQ(r.reason, NZ_NOT_DEFINITE);
  EXPECT_EQ(r.converged, 0);
}

// Single precision does not get to 1e-11, whatever residual the method carries along; double does.
TYPED_TEST(CSolve, ConvergedIsWhatTheSolutionIs) {
  using T = TypeParam;
  constexpr bool single = sizeof(T) == 4;
  const auto a = bar<T>(40);
  nz_plan_options both = plan_options();
  both.op = NZ_BOTH;
  const PlanHandle plan = planned(borrowed(a), &both);
  const std::vector<T> b = numbers<T>(40);
  for (const char* method : {"cg", "bicg", "bicgstab", "gmres"}) {
    nz_solve_options o = solve_options();
    o.tolerance = 1e-11;
    nz_solve_result r = empty_result();
    std::vector<T> x(40, T(0));
    ASSERT_EQ(C<T>::solve(plan.get(), method, b.data(), x.data(), &o, &r), NZ_OK);
    EXPECT_EQ(r.converged, single ? 0 : 1) << method << ": " << r.message;
    EXPECT_EQ(r.reason, single ? NZ_STAGNATED : NZ_CONVERGED) << method << ": " << r.message;
    EXPECT_EQ(r.residual <= o.tolerance, !single) << method;
    // What rounding may make of it: rows have three entries, and |A| |x| is at most 4 max |x|.
    double largest = 0, size = 0;
    for (const T v : x) largest = std::max(largest, std::abs(static_cast<double>(v)));
    for (const T v : b) size = std::hypot(size, static_cast<double>(v));
    const double bound =
        6 * std::numeric_limits<T>::epsilon() / 2 * (std::sqrt(40.0) * 4 * largest + size) / size;
    EXPECT_NEAR(r.residual, solve::true_residual(a.view(), b, x), bound) << method;
    EXPECT_EQ(std::string(r.message).starts_with(single ? "stagnated after " : "converged after "),
              true)
        << r.message;
  }
}

TYPED_TEST(CSolve, LargestEigenvalueOfABar) {
  using T = TypeParam;
  constexpr int n = 20;
  const auto a = bar<T>(n);
  nz_solve_options o = solve_options();
  o.tolerance = tolerance<T>;
  nz_solve_result r = empty_result();
  double value = 0;
  ASSERT_EQ(nz_largest_eigenvalue(planned(borrowed(a)).get(), &value, &o, &r), NZ_OK)
      << nz_last_error();
  EXPECT_EQ(r.converged, 1) << r.message;
  EXPECT_NEAR(value, 2 + 2 * std::cos(M_PI / (n + 1)), 1e-4);
  EXPECT_EQ(nz_largest_eigenvalue(planned(borrowed(a)).get(), nullptr, &o, &r),
            NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_largest_eigenvalue(nullptr, &value, &o, &r), NZ_INVALID_ARGUMENT);
}

TYPED_TEST(CSolve, PageRankOfARing) {
  using T = TypeParam;
  // 0 -> 1 -> 2 -> 0 and 3 -> 0: nobody goes to 3.
  const Csr<T, std::int32_t> ring{4, 4, {0, 1, 2, 3, 4}, {1, 2, 0, 0}, {1, 1, 1, 1}};
  const PlanHandle plan = planned(borrowed(ring));
  nz_walk_options o = walk_options();
  o.tolerance = tolerance<T>;
  nz_solve_result r = empty_result();
  std::vector<T> x(4);
  ASSERT_EQ(C<T>::pagerank(plan.get(), x.data(), &o, &r), NZ_OK) << nz_last_error();
  EXPECT_EQ(r.converged, 1) << r.message;
  EXPECT_NEAR(x[3], 0.15 / 4, 1e-4);
  EXPECT_NEAR(x[0] + x[1] + x[2] + x[3], 1, 1e-4);
  EXPECT_GT(x[0], x[1]);
  // All walks begin at 3.
  const std::vector<T> start{0, 0, 0, 2};
  o.personalisation = start.data();
  o.damping = 0.5;
  ASSERT_EQ(C<T>::pagerank(plan.get(), x.data(), &o, &r), NZ_OK) << nz_last_error();
  EXPECT_NEAR(x[3], 0.5, 1e-4);
  // The same from the transpose.
  const auto back = transpose(ring.view());
  o.transposed = 1;
  std::vector<T> again(4);
  ASSERT_EQ(C<T>::pagerank(planned(borrowed(back)).get(), again.data(), &o, nullptr), NZ_OK);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(x[i], again[i], 1e-4);
  EXPECT_EQ(C<T>::pagerank(plan.get(), nullptr, &o, &r), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::pagerank(nullptr, x.data(), &o, &r), NZ_INVALID_ARGUMENT);
}

TYPED_TEST(CSolve, StationaryDistributionOfAPair) {
  using T = TypeParam;
  const Csr<T, std::int32_t> chain{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {0.5, 0.5, 0.25, 0.75}};
  const PlanHandle plan = planned(borrowed(chain));
  nz_walk_options o = walk_options();
  o.tolerance = tolerance<T>;
  nz_solve_result r = empty_result();
  std::vector<T> x(2);
  ASSERT_EQ(C<T>::stationary(plan.get(), x.data(), &o, &r), NZ_OK) << nz_last_error();
  EXPECT_EQ(r.converged, 1) << r.message;
  EXPECT_NEAR(x[0], 1.0 / 3, 1e-4);
  // From one to the other and back: only a lazy walk settles.
  const Csr<T, std::int32_t> swap{2, 2, {0, 1, 2}, {1, 0}, {1, 1}};
  o.laziness = 0.5;
  double history[2] = {-1, -1};
  o.history = history;
  o.history_room = 2;
  ASSERT_EQ(C<T>::stationary(planned(borrowed(swap)).get(), x.data(), &o, &r), NZ_OK);
  EXPECT_NEAR(x[0], 0.5, 1e-4);
  EXPECT_GE(history[0], 0);
  const Csr<T, std::int32_t> wrong{2, 2, {0, 1, 2}, {1, 0}, {1, 3}};
  ASSERT_EQ(C<T>::stationary(planned(borrowed(wrong)).get(), x.data(), &o, &r), NZ_OK);
  EXPECT_EQ(r.reason, NZ_NOT_STOCHASTIC);
  EXPECT_EQ(C<T>::stationary(nullptr, x.data(), &o, &r), NZ_INVALID_ARGUMENT);
}

TYPED_TEST(CSolve, RefusesWhatMakesNoSense) {
  using T = TypeParam;
  const auto a = bar<T>(8);
  const Matrix m = borrowed(a);
  const PlanHandle plan = planned(m);
  const std::vector<T> b(8, T(1));
  std::vector<T> x(8, T(0));
  const auto solve = [&](const nz_plan* p, const char* method, const T* from, T* to,
                         const nz_solve_options* o,
                         nz_solve_result* r) { return C<T>::solve(p, method, from, to, o, r); };
  EXPECT_EQ(solve(nullptr, "cg", b.data(), x.data(), nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(solve(plan.get(), "cgs", b.data(), x.data(), nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("'cgs'; there are cg, bicg, bicgstab"));
  EXPECT_EQ(solve(plan.get(), nullptr, b.data(), x.data(), nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(solve(plan.get(), "cg", nullptr, x.data(), nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(solve(plan.get(), "cg", b.data(), nullptr, nullptr, nullptr), NZ_INVALID_ARGUMENT);
  nz_solve_options o = solve_options();
  o.history_room = 5;
  EXPECT_EQ(solve(plan.get(), "cg", b.data(), x.data(), &o, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("history is NULL"));
  o.history_room = -1;
  EXPECT_EQ(solve(plan.get(), "cg", b.data(), x.data(), &o, nullptr), NZ_INVALID_ARGUMENT);
  o = solve_options();
  o.size = 1;
  EXPECT_EQ(solve(plan.get(), "cg", b.data(), x.data(), &o, nullptr), NZ_INVALID_ARGUMENT);
  nz_solve_result r = empty_result();
  r.size = 0;
  EXPECT_EQ(solve(plan.get(), "cg", b.data(), x.data(), nullptr, &r), NZ_INVALID_ARGUMENT);
  nz_walk_options w = walk_options();
  w.size = 0;
  EXPECT_EQ(C<T>::pagerank(plan.get(), x.data(), &w, nullptr), NZ_INVALID_ARGUMENT);
  o = solve_options();
  o.stream = &o;
  EXPECT_EQ(solve(plan.get(), "cg", b.data(), x.data(), &o, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("stream"));
  const auto wide = uneven<T>(5, 8);
  EXPECT_EQ(solve(planned(borrowed(wide)).get(), "cg", b.data(), x.data(), nullptr, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("square"));
}

TYPED_TEST(CSolve, Preconditioners) {
  using T = TypeParam;
  const auto a = bar<T>(8);
  const Matrix m = borrowed(a);
  nz_preconditioner* p = reinterpret_cast<nz_preconditioner*>(&p);
  EXPECT_EQ(nz_preconditioner_jacobi(&p, nullptr, 1, "cpu"), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(nz_preconditioner_jacobi(nullptr, m.get(), 1, "cpu"), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_preconditioner_jacobi(&p, m.get(), 0, "cpu"), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_preconditioner_jacobi(&p, m.get(), 1, "abacus"), NZ_INVALID_ARGUMENT);
  const Csr<T, std::int32_t> zero{2, 2, {0, 1, 2}, {1, 0}, {1, 1}};
  EXPECT_EQ(nz_preconditioner_jacobi(&p, borrowed(zero).get(), 1, "cpu"), NZ_BAD_INPUT);
  EXPECT_TRUE(says("row 0"));
  nz_preconditioner_destroy(nullptr);
  // Of the other type.
  using U = std::conditional_t<sizeof(T) == 4, double, float>;
  const auto other = bar<U>(8);
  const PreconditionerHandle wrong = jacobi(borrowed(other));
  nz_solve_options o = solve_options();
  o.preconditioner = wrong.get();
  const std::vector<T> b(8, T(1));
  std::vector<T> x(8, T(0));
  EXPECT_EQ(C<T>::solve(planned(m).get(), "cg", b.data(), x.data(), &o, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("preconditioner is of"));
}

}  // namespace
}  // namespace nz::test
