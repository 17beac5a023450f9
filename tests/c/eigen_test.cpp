#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/solve.hpp>

#include "c/given.hpp"

// Several eigenpairs in C.
namespace nz::test {
namespace {

template <class T>
class CEigen : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CEigen, Types);

template <class T>
constexpr double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-9;

nz_eigen_options eigen_options() {
  nz_eigen_options o;
  EXPECT_EQ(nz_eigen_options_init(&o, sizeof o), NZ_OK);
  return o;
}

// The eigenvalues of bar(n), rising from k = 1.
double exact(int k, int n) { return 2 - 2 * std::cos(k * std::numbers::pi / (n + 1)); }

// |A v - value v| of the pairs, and that vectors are of length 1 and at right angles: `at` has
// element i of vector k.
template <class T, class At>
void expect_pairs(const Csr<T, std::int32_t>& a, const std::vector<double>& values, At&& at,
                  double within) {
  const auto n = static_cast<std::size_t>(a.rows);
  for (std::size_t k = 0; k < values.size(); ++k) {
    double off = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = -values[k] * double{at(i, k)};
      for (auto e = a.offsets[i]; e < a.offsets[i + 1]; ++e)
        sum += double{a.values[static_cast<std::size_t>(e)]} *
               double{at(static_cast<std::size_t>(a.columns[static_cast<std::size_t>(e)]), k)};
      off += sum * sum;
    }
    EXPECT_LT(std::sqrt(off), within) << k;
    for (std::size_t l = 0; l <= k; ++l) {
      double dot = 0;
      for (std::size_t i = 0; i < n; ++i) dot += double{at(i, k)} * double{at(i, l)};
      EXPECT_NEAR(dot, k == l ? 1 : 0, within) << k << ' ' << l;
    }
  }
}

TEST(CEigenOptions, BeginAsInCpp) {
  const nz_eigen_options o = eigen_options();
  const solve::EigenOptions<double> there;
  EXPECT_EQ(o.size, sizeof o);
  EXPECT_EQ(o.tolerance, there.tolerance);
  EXPECT_EQ(o.max_iterations, there.max_iterations);
  EXPECT_EQ(o.largest, 0);
  EXPECT_EQ(o.guard, there.guard);
  EXPECT_EQ(o.from_x, 0);
  EXPECT_EQ(o.check_symmetry, 1);
  EXPECT_EQ(o.residuals, nullptr);
  nz_eigen_options short_one;
  EXPECT_EQ(nz_eigen_options_init(&short_one, 8), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_eigen_options_init(nullptr, sizeof o), NZ_INVALID_ARGUMENT);
}

TYPED_TEST(CEigen, BothEndsInBothLayouts) {
  using T = TypeParam;
  constexpr int n = 40, count = 3;
  const auto a = bar<T>(n);
  nz_plan_options plan_o = plan_options();
  plan_o.vectors = count;
  const PlanHandle plan = planned(borrowed(a), &plan_o);
  const T poison = std::numeric_limits<T>::quiet_NaN();
  for (const bool largest : {false, true})
    for (const nz_layout layout : {NZ_ROW_MAJOR, NZ_COLUMN_MAJOR}) {
      const bool rows = layout == NZ_ROW_MAJOR;
      const std::size_t leading = (rows ? count : n) + 2;
      std::vector<T> x((rows ? n : count) * leading, poison);
      std::vector<double> values(count, -1), residuals(count, -1), history(1000, -1);
      nz_eigen_options o = eigen_options();
      o.tolerance = tolerance<T>;
      o.largest = largest;
      o.guard = 2;
      o.residuals = residuals.data();
      o.history = history.data();
      o.history_room = 1000;
      nz_solve_result r = empty_result();
      ASSERT_EQ(C<T>::lobpcg(plan.get(), count, values.data(), x.data(), layout,
                             static_cast<std::int64_t>(leading), &o, &r),
                NZ_OK)
          << nz_last_error();
      EXPECT_EQ(r.reason, NZ_CONVERGED) << r.message;
      EXPECT_EQ(r.converged, 1);
      ASSERT_EQ(r.history_length, r.iterations + 1);
      EXPECT_EQ(history[static_cast<std::size_t>(r.iterations)], r.residual);
      for (int k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        EXPECT_NEAR(values[at], exact(largest ? n - k : k + 1, n), 10 * tolerance<T>);
        EXPECT_GE(residuals[at], 0);
        EXPECT_LE(residuals[at], o.tolerance);
      }
      const auto at = [&](std::size_t i, std::size_t k) {
        return x[rows ? i * leading + k : k * leading + i];
      };
      expect_pairs(a, values, at, 100 * tolerance<T>);
      // The gaps stay as they were.
      const std::size_t used = rows ? count : n;
      for (std::size_t line = 0; line < x.size() / leading; ++line)
        for (std::size_t i = used; i < leading; ++i) EXPECT_TRUE(std::isnan(x[line * leading + i]));
    }
}

TYPED_TEST(CEigen, BeginsWithWhatItIsGiven) {
  using T = TypeParam;
  constexpr int n = 30;
  const auto a = bar<T>(n);
  const Matrix m = borrowed(a);
  const PlanHandle plan = planned(m);
  std::vector<T> x(2 * n);
  std::mt19937_64 random(std::random_device{}());
  std::uniform_real_distribution<T> number(-1, 1);
  for (T& v : x) v = number(random);
  std::vector<double> values(2);
  nz_eigen_options o = eigen_options();
  o.tolerance = tolerance<T>;
  o.from_x = 1;
  nz_preconditioner* p = nullptr;
  ASSERT_EQ(nz_preconditioner_create(&p, m.get(), "ic0", nullptr), NZ_OK) << nz_last_error();
  const PreconditionerHandle factors(p);
  o.preconditioner = p;
  nz_solve_result r = empty_result();
  const auto again = [&] {
    return C<T>::lobpcg(plan.get(), 2, values.data(), x.data(), NZ_COLUMN_MAJOR, 0, &o, &r);
  };
  ASSERT_EQ(again(), NZ_OK) << nz_last_error();
  EXPECT_EQ(r.converged, 1) << r.message;
  EXPECT_NEAR(values[0], exact(1, n), 10 * tolerance<T>);
  EXPECT_NEAR(values[1], exact(2, n), 10 * tolerance<T>);
  const int first = r.iterations;
  EXPECT_GT(first, 0);
  ASSERT_EQ(again(), NZ_OK);
  EXPECT_LE(r.iterations, 1);  // it begins with the end of before
}

std::int32_t stop_at_two(std::int32_t iteration, double residual, void* data) {
  EXPECT_GE(residual, 0);
  ++*static_cast<int*>(data);
  return iteration >= 2;
}

TYPED_TEST(CEigen, SaysWhyItEnded) {
  using T = TypeParam;
  auto a = bar<T>(30);
  std::vector<T> x(30);
  double value = 7;
  nz_eigen_options o = eigen_options();
  o.tolerance = tolerance<T>;
  nz_solve_result r = empty_result();
  const auto run = [&](const nz_plan* plan) {
    return C<T>::lobpcg(plan, 1, &value, x.data(), NZ_COLUMN_MAJOR, 0, &o, &r);
  };
  int calls = 0;
  o.callback = stop_at_two;
  o.callback_data = &calls;
  ASSERT_EQ(run(planned(borrowed(a)).get()), NZ_OK);
  EXPECT_EQ(r.reason, NZ_STOPPED);
  EXPECT_EQ(calls, 3);
  o.callback = nullptr;
  o.max_iterations = 1;
  ASSERT_EQ(run(planned(borrowed(a)).get()), NZ_OK);
  EXPECT_EQ(r.reason, NZ_ITERATION_LIMIT);
  a.values[1] = T(5);
  value = 7;
  ASSERT_EQ(run(planned(borrowed(a)).get()), NZ_OK);
  EXPECT_EQ(r.reason, NZ_NOT_SYMMETRIC) << r.message;
  EXPECT_EQ(value, 7);  // there is none
}

TYPED_TEST(CEigen, RefusesWhatMakesNoSense) {
  using T = TypeParam;
  const auto a = bar<T>(8);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> before(16, T(3));
  std::vector<T> x = before;
  std::vector<double> values(8, 7);
  nz_eigen_options o = eigen_options();
  const auto run = [&](const nz_plan* p, std::int32_t count, double* to, T* vectors,
                       nz_layout layout, std::int64_t leading) {
    return C<T>::lobpcg(p, count, to, vectors, layout, leading, &o, nullptr);
  };
  EXPECT_EQ(run(nullptr, 2, values.data(), x.data(), NZ_COLUMN_MAJOR, 0), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is NULL"));
  EXPECT_EQ(run(plan.get(), 2, nullptr, x.data(), NZ_COLUMN_MAJOR, 0), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("values is NULL"));
  EXPECT_EQ(run(plan.get(), 2, values.data(), nullptr, NZ_COLUMN_MAJOR, 0), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("x is NULL"));
  for (const std::int32_t count : {-1, 0, 9})
    EXPECT_EQ(run(plan.get(), count, values.data(), x.data(), NZ_COLUMN_MAJOR, 0),
              NZ_INVALID_ARGUMENT)
        << count;
  EXPECT_EQ(run(plan.get(), 2, values.data(), x.data(), NZ_COLUMN_MAJOR, 7), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(run(plan.get(), 2, values.data(), x.data(), NZ_ROW_MAJOR, 1), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(run(plan.get(), 2, values.data(), x.data(), 5, 0), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("no layout has the number 5"));
  o.history_room = 3;
  EXPECT_EQ(run(plan.get(), 2, values.data(), x.data(), NZ_ROW_MAJOR, 0), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("history is NULL"));
  o = eigen_options();
  o.size = 1;
  EXPECT_EQ(run(plan.get(), 2, values.data(), x.data(), NZ_ROW_MAJOR, 0), NZ_INVALID_ARGUMENT);
  o = eigen_options();
  o.guard = -1;
  EXPECT_EQ(run(plan.get(), 2, values.data(), x.data(), NZ_ROW_MAJOR, 0), NZ_INVALID_ARGUMENT);
  o = eigen_options();
  o.stream = &o;
  EXPECT_EQ(run(plan.get(), 2, values.data(), x.data(), NZ_ROW_MAJOR, 0), NZ_INVALID_ARGUMENT);
  o = eigen_options();
  const auto flat = uneven<T>(5, 8);
  EXPECT_EQ(run(planned(borrowed(flat)).get(), 1, values.data(), x.data(), NZ_ROW_MAJOR, 0),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("square"));
  const auto z = uneven<std::complex<T>>(8, 8);
  EXPECT_EQ(run(planned(borrowed(z)).get(), 1, values.data(), x.data(), NZ_ROW_MAJOR, 0),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is of complex"));
  // Of the other type.
  const auto other = bar<std::conditional_t<sizeof(T) == 4, double, float>>(8);
  nz_preconditioner* p = nullptr;
  ASSERT_EQ(nz_preconditioner_jacobi(&p, borrowed(other).get(), 1, nullptr), NZ_OK);
  const PreconditionerHandle wrong(p);
  o.preconditioner = p;
  EXPECT_EQ(run(plan.get(), 2, values.data(), x.data(), NZ_ROW_MAJOR, 0), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("preconditioner is of"));
  EXPECT_EQ(x, before);
  EXPECT_EQ(values, std::vector<double>(8, 7));
}

}  // namespace
}  // namespace nz::test
