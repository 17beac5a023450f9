#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "c/given.hpp"

namespace nz::test {
namespace {

template <class T>
class CProduct : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CProduct, Types);

TYPED_TEST(CProduct, BothWays) {
  using T = TypeParam;
  const auto a = uneven<T>(211, 97);
  nz_plan_options o = plan_options();
  o.op = NZ_BOTH;
  expect_right(planned(borrowed(a), &o).get(), a);
}

TYPED_TEST(CProduct, EnqueuedOnTheCpuIsDoneAtOnce) {
  using T = TypeParam;
  const auto a = uneven<T>(31, 17);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> x = numbers<T>(17);
  std::vector<T> y(31, std::numeric_limits<T>::quiet_NaN()), z(31);
  ASSERT_EQ(C<T>::enqueue(plan.get(), NZ_NONE, T(2), x.data(), T(0), y.data(), nullptr), NZ_OK);
  ASSERT_EQ(C<T>::multiply(plan.get(), NZ_NONE, T(2), x.data(), T(0), z.data(), nullptr), NZ_OK);
  EXPECT_EQ(y, z);
  const Verdict v =
      check_product<T, std::int32_t>(a.view(), Op::none, T(2), x, T(0), std::vector<T>(31), y);
  EXPECT_TRUE(v.right()) << v.message();
}

TYPED_TEST(CProduct, BoundGivesTheSameBits) {
  using T = TypeParam;
  const auto a = uneven<T>(31, 17);
  nz_plan_options o = plan_options();
  o.op = NZ_BOTH;
  o.deterministic = 1;
  const PlanHandle plan = planned(borrowed(a), &o);
  for (const nz_op op : {NZ_NONE, NZ_TRANSPOSE}) {
    const std::vector<T> x = numbers<T>(op == NZ_NONE ? 17 : 31);
    std::vector<T> y = numbers<T>(op == NZ_NONE ? 31 : 17, 2), z = y;
    nz_bound* b = nullptr;
    ASSERT_EQ(nz_bound_create(&b, plan.get(), op, nullptr), NZ_OK) << nz_last_error();
    const BoundHandle bound(b);
    ASSERT_EQ(C<T>::bound_enqueue(b, T(2), x.data(), T(-1), y.data()), NZ_OK) << nz_last_error();
    ASSERT_EQ(C<T>::multiply(plan.get(), op, T(2), x.data(), T(-1), z.data(), nullptr), NZ_OK);
    EXPECT_EQ(y, z);
  }
}

TYPED_TEST(CProduct, BoundOutlivesThePlanWithoutHarm) {
  using T = TypeParam;
  const auto a = uneven<T>(31, 17);
  PlanHandle plan = planned(borrowed(a));
  nz_bound* b = nullptr;
  ASSERT_EQ(nz_bound_create(&b, plan.get(), NZ_NONE, nullptr), NZ_OK);
  const BoundHandle bound(b);
  plan.reset();
  const std::vector<T> x = numbers<T>(17);
  std::vector<T> y(31);
  EXPECT_EQ(C<T>::bound_enqueue(b, T(1), x.data(), T(0), y.data()), NZ_INVALID_ARGUMENT);
}

// Columns of a matrix with a few rows to spare, which stay as they are.
TYPED_TEST(CProduct, SeveralVectors) {
  using T = TypeParam;
  const auto a = uneven<T>(31, 17);
  const PlanHandle plan = planned(borrowed(a));
  constexpr std::int32_t count = 5;
  for (const nz_op op : {NZ_NONE, NZ_TRANSPOSE}) {
    const std::size_t width = op == NZ_NONE ? 17 : 31, height = op == NZ_NONE ? 31 : 17;
    const std::size_t x_stride = width + 3, y_stride = height + 2;
    const std::vector<T> x = numbers<T>(count * x_stride);
    const std::vector<T> before = numbers<T>(count * y_stride, 4);
    std::vector<T> y = before;
    ASSERT_EQ(C<T>::multiply_vectors(plan.get(), op, count, T(3), x.data(),
                                     static_cast<std::int64_t>(x_stride), T(0.5), y.data(),
                                     static_cast<std::int64_t>(y_stride), nullptr),
              NZ_OK)
        << nz_last_error();
    for (std::size_t k = 0; k < count; ++k) {
      const Verdict v =
          check_product<T, std::int32_t>(a.view(), op == NZ_NONE ? Op::none : Op::transpose, T(3),
                                         std::span(x).subspan(k * x_stride, width), T(0.5),
                                         std::span(before).subspan(k * y_stride, height),
                                         std::span<const T>(y).subspan(k * y_stride, height));
      EXPECT_TRUE(v.right()) << v.message();
      for (std::size_t i = height; i < y_stride; ++i)
        EXPECT_EQ(y[k * y_stride + i], before[k * y_stride + i]);
    }
  }
  EXPECT_EQ(
      C<T>::multiply_vectors(plan.get(), NZ_NONE, 0, T(1), nullptr, 17, T(0), nullptr, 31, nullptr),
      NZ_OK);
}

TYPED_TEST(CProduct, VectorsThatInterleaveAreApart) {
  using T = TypeParam;
  const auto a = bar<T>(10);
  const PlanHandle plan = planned(borrowed(a));
  // x0 y0 x1 y1 x2 y2
  std::vector<T> both = numbers<T>(60);
  const std::vector<T> before = both;
  ASSERT_EQ(C<T>::multiply_vectors(plan.get(), NZ_NONE, 3, T(1), both.data(), 20, T(0),
                                   both.data() + 10, 20, nullptr),
            NZ_OK)
      << nz_last_error();
  for (std::size_t k = 0; k < 3; ++k) {
    const auto x = std::span(before).subspan(20 * k, 10);
    const Verdict v = check_product<T, std::int32_t>(
        a.view(), Op::none, T(1), x, T(0), x, std::span<const T>(both).subspan(20 * k + 10, 10));
    EXPECT_TRUE(v.right()) << v.message();
  }
  // y of the first vector is x of the second.
  EXPECT_EQ(C<T>::multiply_vectors(plan.get(), NZ_NONE, 3, T(1), both.data(), 10, T(0),
                                   both.data() + 10, 10, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("vector 1 of x and vector 0 of y overlap"));
  EXPECT_EQ(C<T>::multiply_vectors(plan.get(), NZ_NONE, 2, T(1), both.data() + 19, 15, T(0),
                                   both.data(), 20, nullptr),
            NZ_INVALID_ARGUMENT);
}

TYPED_TEST(CProduct, RefusesWhatMakesNoSense) {
  using T = TypeParam;
  const auto a = uneven<T>(31, 17);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> x = numbers<T>(40);
  std::vector<T> y = numbers<T>(40, 2);
  const std::vector<T> before = y;
  const auto multiply = [&](const nz_plan* p, nz_op op, const T* from, T* to, void* stream) {
    return C<T>::multiply(p, op, T(1), from, T(1), to, stream);
  };
  EXPECT_EQ(multiply(nullptr, NZ_NONE, x.data(), y.data(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is NULL"));
  EXPECT_EQ(multiply(plan.get(), NZ_NONE, nullptr, y.data(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("x is NULL"));
  EXPECT_EQ(multiply(plan.get(), NZ_TRANSPOSE, x.data(), nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("y is NULL"));
  EXPECT_EQ(multiply(plan.get(), NZ_BOTH, x.data(), y.data(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("NZ_BOTH"));
  EXPECT_EQ(multiply(plan.get(), 7, x.data(), y.data(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("7"));
  EXPECT_EQ(multiply(plan.get(), NZ_NONE, y.data() + 5, y.data(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("overlap"));
  EXPECT_EQ(multiply(plan.get(), NZ_NONE, x.data(), y.data(), &y), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("stream"));
  EXPECT_EQ(C<T>::enqueue(nullptr, NZ_NONE, T(1), x.data(), T(1), y.data(), nullptr),
            NZ_INVALID_ARGUMENT);
  const auto several = [&](std::int32_t count, const T* from, std::int64_t x_stride, T* to,
                           std::int64_t y_stride) {
    return C<T>::multiply_vectors(plan.get(), NZ_NONE, count, T(1), from, x_stride, T(1), to,
                                  y_stride, nullptr);
  };
  EXPECT_EQ(several(-1, x.data(), 17, y.data(), 31), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("count is -1"));
  EXPECT_EQ(several(1, x.data(), 16, y.data(), 31), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("x_stride is 16, and x has 17 elements"));
  EXPECT_EQ(several(1, x.data(), 17, y.data(), 30), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("y_stride"));
  EXPECT_EQ(several(1, x.data(), -17, y.data(), 31), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(several(1, nullptr, 17, y.data(), 31), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(several(1, x.data(), 17, nullptr, 31), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(
      C<T>::multiply_vectors(nullptr, NZ_NONE, 1, T(1), x.data(), 17, T(1), y.data(), 31, nullptr),
      NZ_INVALID_ARGUMENT);
  nz_bound* bound = reinterpret_cast<nz_bound*>(&bound);
  EXPECT_EQ(nz_bound_create(&bound, nullptr, NZ_NONE, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(bound, nullptr);
  EXPECT_EQ(nz_bound_create(&bound, plan.get(), NZ_BOTH, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_bound_create(&bound, plan.get(), NZ_NONE, &y), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_bound_create(nullptr, plan.get(), NZ_NONE, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::bound_enqueue(nullptr, T(1), x.data(), T(1), y.data()), NZ_INVALID_ARGUMENT);
  nz_bound_destroy(nullptr);
  EXPECT_EQ(y, before);
}

TYPED_TEST(CProduct, KernelsWithoutATransposedProductSaySo) {
  using T = TypeParam;
  const auto a = bar<T>(20);
  nz_plan_options o = plan_options();
  o.kernel = "cpu/bsr/granular-row";
  const PlanHandle plan = planned(borrowed(a), &o);
  const std::vector<T> x = numbers<T>(20);
  std::vector<T> y(20);
  EXPECT_EQ(C<T>::multiply(plan.get(), NZ_TRANSPOSE, T(1), x.data(), T(0), y.data(), nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("cpu/bsr/granular-row"));
}

TEST(CProductErrors, OtherTypes) {
  const auto a = bar<float>(4);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<double> x(4, 1.0);
  std::vector<double> y(4);
  EXPECT_EQ(nz_multiply_f64(plan.get(), NZ_NONE, 1, x.data(), 0, y.data(), nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is of float, not of double"));
  nz_bound* b = nullptr;
  ASSERT_EQ(nz_bound_create(&b, plan.get(), NZ_NONE, nullptr), NZ_OK);
  const BoundHandle bound(b);
  EXPECT_EQ(nz_bound_enqueue_f64(b, 1, x.data(), 0, y.data()), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("bound is of float, not of double"));
}

TYPED_TEST(CProduct, ThreadsShareAPlan) {
  using T = TypeParam;
  const auto a = uneven<T>(211, 97);
  const PlanHandle plan = planned(borrowed(a));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) expect_right(plan.get(), a);
    });
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace nz::test
