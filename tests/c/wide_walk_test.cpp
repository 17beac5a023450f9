#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "c/given.hpp"

// PageRank, Markov chains and eigenvalues of matrices with 64-bit rows and columns: what plans of
// the same matrices give.
namespace nz::test {
namespace {

template <class T>
class CWideWalk : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CWideWalk, Types);

template <class T>
constexpr double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-10;

template <class T>
WideHandle wide(const Csr<T, std::int32_t>& a) {
  const std::vector<std::int64_t> offsets(a.offsets.begin(), a.offsets.end()),
      columns(a.columns.begin(), a.columns.end());
  nz_plan_options both = plan_options();
  both.op = NZ_BOTH;
  nz_wide_plan* p = nullptr;
  EXPECT_EQ(C<T>::wide_csr(&p, a.rows, a.cols, a.nnz(), offsets.data(), columns.data(),
                           a.values.data(), &both),
            NZ_OK)
      << nz_last_error();
  return WideHandle(p);
}

template <class T>
WideHandle too_wide() {
  const std::int64_t first = 0;
  const T one = 1;
  nz_wide_plan* p = nullptr;
  EXPECT_EQ(C<T>::wide_coo(&p, 5'000'000'000, 5'000'000'000, 1, &first, &first, &one, nullptr),
            NZ_OK);
  return WideHandle(p);
}

template <class T>
nz_walk_options to_tolerance() {
  nz_walk_options o = walk_options();
  o.tolerance = tolerance<T>;
  return o;
}
template <class T>
using Other = std::conditional_t<sizeof(T) == 4, double, float>;

TYPED_TEST(CWideWalk, RanksAndSettles) {
  using T = TypeParam;
  constexpr index_t n = 30;
  std::vector<index_t> from, to;
  std::vector<T> weight;
  for (index_t i = 0; i + 1 < n; ++i)
    for (index_t k = 1; k <= 3; ++k)
      from.push_back(i), to.push_back((7 * i + 11 * k) % n), weight.push_back(static_cast<T>(k));
  const auto graph = csr_from_triplets<T, std::int32_t>(n, n, from, to, weight);
  const Csr<T, std::int32_t> chain{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {0.5, 0.5, 0.25, 0.75}};
  const WideHandle of_graph = wide(graph), of_chain = wide(chain);
  nz_plan_options both = plan_options();
  both.op = NZ_BOTH;
  const PlanHandle plan = planned(borrowed(graph), &both);

  std::vector<T> start(2 * n), x(n), expected(n), several(2 * n);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<T>(1 + i % 5);
  nz_walk_options o = to_tolerance<T>();
  o.damping = 0.7;
  o.personalisation = start.data();
  nz_solve_result r = empty_result();
  ASSERT_EQ(C<T>::pagerank(plan.get(), expected.data(), &o, nullptr), NZ_OK);
  ASSERT_EQ(C<T>::pagerank_wide(of_graph.get(), x.data(), &o, &r), NZ_OK) << nz_last_error();
  EXPECT_EQ(r.converged, 1) << r.message;
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], expected[i], 10 * o.tolerance) << i;
  // The first of two personalisations is that one.
  o.personalisation = nullptr;
  r = empty_result();
  ASSERT_EQ(C<T>::pagerank_wide_several(of_graph.get(), 2, start.data(), NZ_COLUMN_MAJOR, 0,
                                        several.data(), NZ_ROW_MAJOR, 0, &o, &r),
            NZ_OK)
      << nz_last_error();
  EXPECT_EQ(r.converged, 1) << r.message;
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(several[2 * i], expected[i], 10 * o.tolerance) << i;

  o = to_tolerance<T>();
  r = empty_result();
  T settled[2];
  ASSERT_EQ(C<T>::stationary_wide(of_chain.get(), settled, &o, &r), NZ_OK) << nz_last_error();
  EXPECT_EQ(r.converged, 1) << r.message;
  EXPECT_NEAR(settled[0], 1 / 3.0, 10 * o.tolerance);
  EXPECT_NEAR(settled[1], 2 / 3.0, 10 * o.tolerance);
}

TYPED_TEST(CWideWalk, FindsEigenvalues) {
  using T = TypeParam;
  constexpr int n = 40, count = 3;
  const WideHandle plan = wide(bar<T>(n));
  const auto exact = [](int k) { return 2 - 2 * std::cos(k * std::numbers::pi / (n + 1)); };
  nz_solve_options so;
  ASSERT_EQ(nz_solve_options_init(&so, sizeof so), NZ_OK);
  so.tolerance = tolerance<T>;
  nz_solve_result r = empty_result();
  double largest = 0;
  ASSERT_EQ(nz_largest_eigenvalue_wide(plan.get(), &largest, &so, &r), NZ_OK) << nz_last_error();
  EXPECT_EQ(r.converged, 1) << r.message;
  EXPECT_NEAR(largest, exact(n), 1e-4);

  nz_eigen_options eo;
  ASSERT_EQ(nz_eigen_options_init(&eo, sizeof eo), NZ_OK);
  eo.tolerance = sizeof(T) == 4 ? 1e-5 : 1e-9;
  eo.guard = 2;
  std::vector<double> values(count), residuals(count, -1);
  eo.residuals = residuals.data();
  std::vector<T> x(n * (count + 1), T(77));
  r = empty_result();
  ASSERT_EQ(C<T>::lobpcg_wide(plan.get(), count, values.data(), x.data(), NZ_ROW_MAJOR, count + 1,
                              &eo, &r),
            NZ_OK)
      << nz_last_error();
  EXPECT_EQ(r.converged, 1) << r.message;
  for (int k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    EXPECT_NEAR(values[at], exact(k + 1), 1e-4);
    EXPECT_TRUE(residuals[at] >= 0 && residuals[at] <= eo.tolerance) << residuals[at];
    double length = 0;
    for (std::size_t i = 0; i < n; ++i) length += std::pow(x[i * (count + 1) + at], 2);
    EXPECT_NEAR(length, 1, 1e-4);
  }
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(x[i * (count + 1) + count], T(77)) << "a gap";
}

TYPED_TEST(CWideWalk, RefusesWhatMakesNoSense) {
  using T = TypeParam;
  const WideHandle plan = wide(bar<T>(4)), large = too_wide<T>();
  const WideHandle other = wide(bar<Other<T>>(4));
  T x[8], p[8];
  double value, values[2];
  const nz_status bad = NZ_INVALID_ARGUMENT;
  EXPECT_EQ(C<T>::pagerank_wide(nullptr, x, nullptr, nullptr), bad);
  EXPECT_TRUE(says("plan is NULL")) << nz_last_error();
  EXPECT_EQ(C<T>::pagerank_wide(plan.get(), nullptr, nullptr, nullptr), bad);
  EXPECT_TRUE(says("x is NULL")) << nz_last_error();
  EXPECT_EQ(C<T>::pagerank_wide(other.get(), x, nullptr, nullptr), bad);
  EXPECT_TRUE(says("plan is of")) << nz_last_error();
  EXPECT_EQ(C<T>::pagerank_wide(large.get(), x, nullptr, nullptr), bad);
  EXPECT_TRUE(says("5000000000 x 5000000000")) << nz_last_error();
  EXPECT_EQ(C<T>::pagerank_wide_several(plan.get(), 0, p, NZ_ROW_MAJOR, 0, x, NZ_ROW_MAJOR, 0,
                                        nullptr, nullptr),
            bad);
  EXPECT_TRUE(says("count is 0, below 1")) << nz_last_error();
  EXPECT_EQ(C<T>::pagerank_wide_several(nullptr, 1, p, NZ_ROW_MAJOR, 0, x, NZ_ROW_MAJOR, 0, nullptr,
                                        nullptr),
            bad);
  EXPECT_EQ(C<T>::stationary_wide(nullptr, x, nullptr, nullptr), bad);
  EXPECT_EQ(C<T>::stationary_wide(large.get(), x, nullptr, nullptr), bad);
  nz_walk_options o = to_tolerance<T>();
  o.stream = &o;
  EXPECT_EQ(C<T>::stationary_wide(plan.get(), x, &o, nullptr), bad);
  EXPECT_TRUE(says("stream")) << nz_last_error();
  EXPECT_EQ(nz_largest_eigenvalue_wide(nullptr, &value, nullptr, nullptr), bad);
  EXPECT_EQ(nz_largest_eigenvalue_wide(plan.get(), nullptr, nullptr, nullptr), bad);
  EXPECT_TRUE(says("value is NULL")) << nz_last_error();
  EXPECT_EQ(nz_largest_eigenvalue_wide(large.get(), &value, nullptr, nullptr), bad);
  const auto lobpcg = [&](const WideHandle& a, std::int32_t count, double* to) {
    return C<T>::lobpcg_wide(a.get(), count, to, x, NZ_ROW_MAJOR, 0, nullptr, nullptr);
  };
  EXPECT_EQ(lobpcg(WideHandle(), 2, values), bad);
  EXPECT_EQ(lobpcg(large, 2, values), bad);
  EXPECT_EQ(lobpcg(other, 2, values), bad);
  EXPECT_EQ(lobpcg(plan, -1, values), bad);
  EXPECT_EQ(lobpcg(plan, 2, nullptr), bad);
  EXPECT_TRUE(says("values is NULL")) << nz_last_error();
}

}  // namespace
}  // namespace nz::test
