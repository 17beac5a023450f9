#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "c/given.hpp"
#include "support/failing_allocations.hpp"

// Walks that begin with an x of the caller's, and with several personalisations.
namespace nz::test {
namespace {

template <class T>
class CWalk : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CWalk, Types);

nz_solve_result empty_result() {
  nz_solve_result r;
  EXPECT_EQ(nz_solve_result_init(&r, sizeof r), NZ_OK);
  return r;
}

template <class T>
nz_walk_options walk_options() {
  nz_walk_options o;
  EXPECT_EQ(nz_walk_options_init(&o, sizeof o), NZ_OK);
  o.tolerance = sizeof(T) == 4 ? 1e-5 : 1e-10;
  return o;
}

constexpr index_t n = 30;

// Edges to three others each, and one node without any.
template <class T>
Csr<T, std::int32_t> graph() {
  std::vector<index_t> from, to;
  std::vector<T> weight;
  for (index_t i = 0; i + 1 < n; ++i)
    for (index_t k = 1; k <= 3; ++k) {
      from.push_back(i);
      to.push_back((7 * i + 11 * k) % n);
      weight.push_back(static_cast<T>(k));
    }
  return csr_from_triplets<T, std::int32_t>(n, n, from, to, weight);
}

template <class T>
PlanHandle plan_of(const Csr<T, std::int32_t>& a) {
  nz_plan_options both = plan_options();
  both.op = NZ_BOTH;
  return planned(borrowed(a), &both);
}

TYPED_TEST(CWalk, BeginsWithTheXThatIsGiven) {
  using T = TypeParam;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const auto a = graph<T>();
  const Csr<T, std::int32_t> chain{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {0.5, 0.5, 0.25, 0.75}};
  const PlanHandle ranks = plan_of(a), states = plan_of(chain);
  nz_walk_options o = walk_options<T>();
  EXPECT_EQ(o.from_x, 0);
  nz_solve_result r = empty_result();
  for (const bool stationary : {false, true}) {
    const auto walk = [&](std::vector<T>& x) {
      return stationary ? C<T>::stationary(states.get(), x.data(), &o, &r)
                        : C<T>::pagerank(ranks.get(), x.data(), &o, &r);
    };
    o.from_x = 0;
    std::vector<T> x(stationary ? 2 : n, nan);  // it is not read
    ASSERT_EQ(walk(x), NZ_OK) << nz_last_error();
    ASSERT_EQ(r.converged, 1) << r.message;
    const std::int32_t before = r.iterations;
    EXPECT_GT(before, 2);
    o.from_x = 1;
    ASSERT_EQ(walk(x), NZ_OK) << nz_last_error();
    EXPECT_EQ(r.converged, 1) << r.message;
    EXPECT_LE(r.iterations, 1);
    x.assign(x.size(), nan);
    ASSERT_EQ(walk(x), NZ_OK) << nz_last_error();
    EXPECT_EQ(r.converged, 0);
  }
}

// Each column is what one personalisation alone makes of it; what lies between stays.
TYPED_TEST(CWalk, SeveralPersonalisations) {
  using T = TypeParam;
  constexpr T gap = 77;
  constexpr int count = 3;
  const auto a = graph<T>();
  const PlanHandle plan = plan_of(a);
  nz_walk_options o = walk_options<T>();
  o.damping = 0.7;
  std::vector<std::vector<T>> start(count, std::vector<T>(n)), alone(count, std::vector<T>(n));
  nz_solve_result r = empty_result();
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = k; i < n; i += k + 2) start[k][i] = static_cast<T>(1 + i % 4);
    o.personalisation = start[k].data();
    ASSERT_EQ(C<T>::pagerank(plan.get(), alone[k].data(), &o, &r), NZ_OK) << nz_last_error();
    ASSERT_EQ(r.converged, 1) << r.message;
  }
  o.personalisation = nullptr;
  const auto place = [](nz_layout layout, std::size_t i, std::size_t k) {
    return layout == NZ_ROW_MAJOR ? i * (count + 1) + k : k * (n + 2) + i;
  };
  const auto leading = [](nz_layout layout) { return layout == NZ_ROW_MAJOR ? count + 1 : n + 2; };
  for (const nz_layout p_layout : {NZ_ROW_MAJOR, NZ_COLUMN_MAJOR})
    for (const nz_layout x_layout : {NZ_ROW_MAJOR, NZ_COLUMN_MAJOR}) {
      std::vector<T> p(200, gap), x(200, gap);
      for (std::size_t k = 0; k < count; ++k)
        for (std::size_t i = 0; i < n; ++i) p[place(p_layout, i, k)] = start[k][i];
      for (o.from_x = 0; o.from_x <= 1; ++o.from_x) {
        r = empty_result();
        ASSERT_EQ(C<T>::pagerank_several(plan.get(), count, p.data(), p_layout, leading(p_layout),
                                         x.data(), x_layout, leading(x_layout), &o, &r),
                  NZ_OK)
            << nz_last_error();
        EXPECT_EQ(r.converged, 1) << r.message;
        EXPECT_EQ(r.iterations <= 1, o.from_x == 1) << r.iterations;
        std::vector<T> rest = x;
        for (std::size_t k = 0; k < count; ++k)
          for (std::size_t i = 0; i < n; ++i) {
            EXPECT_NEAR(x[place(x_layout, i, k)], alone[k][i], 10 * o.tolerance) << i << ", " << k;
            rest[place(x_layout, i, k)] = gap;
          }
        EXPECT_EQ(rest, std::vector<T>(200, gap));
      }
      o.from_x = 0;
    }
  // Without gaps, options and a result; the tolerance is then one that float does not get to.
  std::vector<T> x(n);
  ASSERT_EQ(C<T>::pagerank_several(plan.get(), 1, start[0].data(), NZ_ROW_MAJOR, 0, x.data(),
                                   NZ_COLUMN_MAJOR, 0, nullptr, nullptr),
            NZ_OK)
      << nz_last_error();
  T sum = 0;
  for (const T v : x) sum += v;
  EXPECT_NEAR(sum, 1, 1e-5);
}

TYPED_TEST(CWalk, RefusesWhatMakesNoSense) {
  using T = TypeParam;
  const auto a = graph<T>();
  const PlanHandle plan = plan_of(a);
  const std::vector<T> p(2 * n, T(1)), none(2 * n);
  std::vector<T> x(2 * n, T(5));
  nz_walk_options o = walk_options<T>();
  const auto refused = [&](const nz_plan* of, std::int32_t count, const T* from, nz_layout layout,
                           std::int64_t leading, T* to) {
    const nz_status s = C<T>::pagerank_several(of, count, from, layout, leading, to,
                                               NZ_COLUMN_MAJOR, 0, &o, nullptr);
    return s == NZ_INVALID_ARGUMENT ? std::string(nz_last_error()) : "status " + std::to_string(s);
  };
  T* to = x.data();
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(refused(nullptr, 2, p.data(), NZ_COLUMN_MAJOR, 0, to), "plan is NULL");
  has(refused(plan.get(), 2, nullptr, NZ_COLUMN_MAJOR, 0, to), "p is NULL");
  has(refused(plan.get(), 2, p.data(), NZ_COLUMN_MAJOR, 0, nullptr), "x is NULL");
  has(refused(plan.get(), 0, p.data(), NZ_COLUMN_MAJOR, 0, to), "count is 0, below 1");
  has(refused(plan.get(), 2, p.data(), 7, 0, to), "layout");
  has(refused(plan.get(), 2, p.data(), NZ_COLUMN_MAJOR, n - 1, to), "leading dimension of 29");
  has(refused(plan.get(), 2, none.data(), NZ_COLUMN_MAJOR, 0, to), "personalisation 0");
  o.personalisation = p.data();
  has(refused(plan.get(), 2, p.data(), NZ_COLUMN_MAJOR, 0, to), "not both");
  o = walk_options<T>();
  o.history_room = 3;
  has(refused(plan.get(), 2, p.data(), NZ_COLUMN_MAJOR, 0, to), "history is NULL");
  o = walk_options<T>();
  o.size = 8;
  has(refused(plan.get(), 2, p.data(), NZ_COLUMN_MAJOR, 0, to), "nz_walk_options: size is 8");
  o = walk_options<T>();
  const auto wide = uneven<T>(5, 8);
  has(refused(planned(borrowed(wide)).get(), 2, p.data(), NZ_COLUMN_MAJOR, 0, to), "square");
  using Other = std::conditional_t<sizeof(T) == 4, double, float>;
  const auto other = graph<Other>();
  has(refused(plan_of(other).get(), 2, p.data(), NZ_COLUMN_MAJOR, 0, to), "plan is of");
  EXPECT_EQ(x, std::vector<T>(2 * n, T(5)));
}

// Whichever allocation fails, the answer is a status, and nothing is left behind.
TEST(CWalkErrors, SaysWhereMemoryIsShort) {
  const auto a = graph<double>();
  const Matrix m = borrowed(a);
  nz_plan_options both = plan_options();
  both.op = NZ_BOTH;
  both.threads = 1;
  const PlanHandle plan = planned(m, &both);
  const std::vector<double> p(2 * n, 1.0);
  std::vector<double> x(2 * n);
  const auto ranked = [&] {
    return nz_pagerank_several_f64(plan.get(), 2, p.data(), NZ_ROW_MAJOR, 0, x.data(),
                                   NZ_COLUMN_MAJOR, 0, nullptr, nullptr);
  };
  ASSERT_EQ(ranked(), NZ_OK) << nz_last_error();  // the plan's scratch is there from now on
  int failures = 0;
  for (long after = 0;; ++after) {
    bool met = false;
    nz_status status = NZ_OK;
    const long before = live_host_allocations();
    {
      const FailingAllocation fails(after);
      status = ranked();
      met = fails.met();
    }
    if (!met) {
      EXPECT_EQ(status, NZ_OK) << nz_last_error();
      break;
    }
    if (status != NZ_OK) {
      EXPECT_EQ(status, NZ_NO_RESOURCE) << nz_last_error();
      EXPECT_TRUE(says("memory")) << nz_last_error();
      EXPECT_EQ(live_host_allocations(), before) << after;
      ++failures;
    }
    ASSERT_LT(after, 100000);
  }
  EXPECT_GT(failures, 3);
}

}  // namespace
}  // namespace nz::test
