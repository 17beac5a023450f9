#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/solve.hpp>

#include "c/devices_here.hpp"
#include "c/given.hpp"

// Complex plans in C: products of all ops, several vectors, bound products, new values, and what
// is refused. tests/c/matrix_test.cpp has their matrices, tests/c/complex_solve_test.cpp solvers.
namespace nz::test {
namespace {

template <class T>
class CComplex : public testing::Test {};
using Types = testing::Types<nz_c64, nz_c128>;
TYPED_TEST_SUITE(CComplex, Types);

constexpr nz_op ops[] = {NZ_NONE, NZ_TRANSPOSE, NZ_CONJUGATE_TRANSPOSE, NZ_CONJUGATE};

const std::uint64_t seed = std::random_device{}();

template <class T>
std::vector<T> drawn(std::size_t n, std::uint64_t more = 0) {
  std::mt19937_64 random(seed + more);
  std::uniform_real_distribution<real_of<T>> part(-1, 1);
  std::vector<T> v(n);
  for (T& z : v) {
    const auto re = part(random);
    z = {re, part(random)};
  }
  return v;
}

template <class T>
Csr<T, std::int32_t> drawn_matrix(index_t rows, index_t cols) {
  Csr<T, std::int32_t> a = uneven<T>(rows, cols);
  const std::vector<T> values = drawn<T>(a.values.size(), 99);
  std::copy(values.begin(), values.end(), a.values.begin());
  return a;
}

template <class T>
T poison() {
  return {std::numeric_limits<real_of<T>>::quiet_NaN(),
          std::numeric_limits<real_of<T>>::quiet_NaN()};
}

std::size_t width(nz_op op, index_t rows, index_t cols) {
  return static_cast<std::size_t>(turned(op) ? rows : cols);
}

TYPED_TEST(CComplex, EveryOp) {
  using T = TypeParam;
  SCOPED_TRACE(seed);
  const auto a = drawn_matrix<T>(211, 97);
  nz_plan_options o = plan_options();
  for (const nz_op use : {NZ_NONE, NZ_CONJUGATE, NZ_CONJUGATE_TRANSPOSE, NZ_BOTH}) {
    o.op = use;
    const PlanHandle plan = planned(borrowed(a), &o);
    expect_right(plan.get(), a);
    for (const nz_op op : ops) {
      const std::vector<T> x = drawn<T>(width(op, 211, 97), 1);
      const std::vector<T> scalars = drawn<T>(2, 2);
      // beta = 0 reads nothing of y.
      std::vector<T> y(width(op, 97, 211), poison<T>()), z = y;
      const T zero(0);
      ASSERT_EQ(C<T>::multiply(plan.get(), op, &scalars[0], x.data(), &zero, y.data(), nullptr),
                NZ_OK)
          << nz_last_error();
      const std::vector<T> nothing(y.size(), T(0));
      const Verdict v =
          check_product<T, std::int32_t>(a.view(), cpp(op), scalars[0], x, zero, nothing, y);
      EXPECT_TRUE(v.right()) << v.message();
      ASSERT_EQ(C<T>::enqueue(plan.get(), op, &scalars[0], x.data(), &zero, z.data(), nullptr),
                NZ_OK);
      const Verdict w =
          check_product<T, std::int32_t>(a.view(), cpp(op), scalars[0], x, zero, nothing, z);
      EXPECT_TRUE(w.right()) << w.message();
    }
  }
}

// The conjugate counts: the product with H is not that with T.
TYPED_TEST(CComplex, TheConjugateTransposeIsNotTheTranspose) {
  using T = TypeParam;
  const Csr<T, std::int32_t> a{1, 2, {0, 2}, {0, 1}, {T(1, 2), T(0, -3)}};
  const PlanHandle plan = planned(borrowed(a));
  const T one(1), zero(0), x(0, 1);
  T y[2] = {poison<T>(), poison<T>()};
  ASSERT_EQ(C<T>::multiply(plan.get(), NZ_TRANSPOSE, &one, &x, &zero, y, nullptr), NZ_OK);
  EXPECT_EQ(y[0], T(-2, 1));
  EXPECT_EQ(y[1], T(3, 0));
  ASSERT_EQ(C<T>::multiply(plan.get(), NZ_CONJUGATE_TRANSPOSE, &one, &x, &zero, y, nullptr), NZ_OK);
  EXPECT_EQ(y[0], T(2, 1));
  EXPECT_EQ(y[1], T(-3, 0));
}

TYPED_TEST(CComplex, TheConjugateIsNotTheMatrix) {
  using T = TypeParam;
  const Csr<T, std::int32_t> a{2, 1, {0, 1, 2}, {0, 0}, {T(1, 2), T(0, -3)}};
  const PlanHandle plan = planned(borrowed(a));
  const T one(1), zero(0), x(0, 1);
  T y[2] = {poison<T>(), poison<T>()};
  ASSERT_EQ(C<T>::multiply(plan.get(), NZ_CONJUGATE, &one, &x, &zero, y, nullptr), NZ_OK)
      << nz_last_error();
  EXPECT_EQ(y[0], T(2, 1));
  EXPECT_EQ(y[1], T(-3, 0));
  ASSERT_EQ(C<T>::multiply(plan.get(), NZ_NONE, &one, &x, &zero, y, nullptr), NZ_OK);
  EXPECT_EQ(y[0], T(-2, 1));
  EXPECT_EQ(y[1], T(3, 0));
}

// Apart from each other, and x and y of each vector side by side in one array.
TYPED_TEST(CComplex, VectorsAtAnyDistance) {
  using T = TypeParam;
  SCOPED_TRACE(seed);
  const auto a = drawn_matrix<T>(31, 17);
  const PlanHandle plan = planned(borrowed(a));
  constexpr std::size_t count = 3;
  const std::vector<T> scalars = drawn<T>(2, 11);
  for (const nz_op op : ops)
    for (const bool between : {false, true}) {
      const std::size_t wide = width(op, 31, 17), high = width(op, 17, 31), stride = 50;
      const std::size_t to = between ? wide : count * stride;  // where y of the first begins
      std::vector<T> all = drawn<T>(to + count * stride, 12);
      const std::vector<T> before = all;
      ASSERT_EQ(C<T>::multiply_vectors(plan.get(), op, count, &scalars[0], all.data(), stride,
                                       &scalars[1], all.data() + to, stride, nullptr),
                NZ_OK)
          << nz_last_error();
      std::vector<T> untouched = all;
      for (std::size_t k = 0; k < count; ++k) {
        const auto part = [&](const std::vector<T>& v, std::size_t from, std::size_t n) {
          return std::span<const T>(v).subspan(from + k * stride, n);
        };
        const Verdict v =
            check_product<T, std::int32_t>(a.view(), cpp(op), scalars[0], part(before, 0, wide),
                                           scalars[1], part(before, to, high), part(all, to, high));
        EXPECT_TRUE(v.right()) << v.message();
        const auto old = part(before, to, high);
        std::copy(old.begin(), old.end(),
                  untouched.begin() + static_cast<std::ptrdiff_t>(to + k * stride));
      }
      EXPECT_EQ(untouched, before);
    }
}

TYPED_TEST(CComplex, SeveralVectorsInBothLayouts) {
  using T = TypeParam;
  SCOPED_TRACE(seed);
  const auto a = drawn_matrix<T>(31, 17);
  const PlanHandle plan = planned(borrowed(a));
  constexpr std::int32_t count = 5;
  const std::vector<T> scalars = drawn<T>(2, 3);
  for (const nz_op op : ops)
    for (const nz_layout layout : {NZ_ROW_MAJOR, NZ_COLUMN_MAJOR})
      for (const bool wait : {true, false}) {
        const std::size_t wide = width(op, 31, 17), high = width(op, 17, 31), gap = 2;
        const bool rows = layout == NZ_ROW_MAJOR;
        const std::size_t x_leading = (rows ? count : wide) + gap,
                          y_leading = (rows ? count : high) + gap;
        const auto at = [&](std::size_t i, std::size_t k, std::size_t leading) {
          return rows ? i * leading + k : k * leading + i;
        };
        const std::vector<T> x = drawn<T>((rows ? wide : count) * x_leading, 4);
        const std::vector<T> before = drawn<T>((rows ? high : count) * y_leading, 5);
        std::vector<T> y = before;
        const auto several = wait ? C<T>::multiply_several : C<T>::enqueue_several;
        ASSERT_EQ(several(plan.get(), op, count, &scalars[0], x.data(), layout,
                          static_cast<std::int64_t>(x_leading), &scalars[1], y.data(), layout,
                          static_cast<std::int64_t>(y_leading), nullptr),
                  NZ_OK)
            << nz_last_error();
        std::vector<T> untouched = y;
        for (std::size_t k = 0; k < count; ++k) {
          std::vector<T> one, was, its;
          for (std::size_t i = 0; i < wide; ++i) one.push_back(x[at(i, k, x_leading)]);
          for (std::size_t i = 0; i < high; ++i) {
            was.push_back(before[at(i, k, y_leading)]);
            its.push_back(y[at(i, k, y_leading)]);
            untouched[at(i, k, y_leading)] = before[at(i, k, y_leading)];
          }
          const Verdict v = check_product<T, std::int32_t>(a.view(), cpp(op), scalars[0], one,
                                                           scalars[1], was, its);
          EXPECT_TRUE(v.right()) << v.message();
        }
        EXPECT_EQ(untouched, before);  // the gaps
      }
}

TYPED_TEST(CComplex, BoundGivesTheSameBits) {
  using T = TypeParam;
  const auto a = drawn_matrix<T>(31, 17);
  nz_plan_options o = plan_options();
  o.op = NZ_BOTH;
  o.deterministic = 1;
  const PlanHandle plan = planned(borrowed(a), &o);
  const std::vector<T> scalars = drawn<T>(2, 6);
  for (const nz_op op : ops) {
    const std::vector<T> x = drawn<T>(width(op, 31, 17), 7);
    std::vector<T> y = drawn<T>(width(op, 17, 31), 8), z = y;
    nz_bound* b = nullptr;
    ASSERT_EQ(nz_bound_create(&b, plan.get(), op, nullptr), NZ_OK) << nz_last_error();
    const BoundHandle bound(b);
    ASSERT_EQ(C<T>::bound_enqueue(b, &scalars[0], x.data(), &scalars[1], y.data()), NZ_OK);
    ASSERT_EQ(C<T>::multiply(plan.get(), op, &scalars[0], x.data(), &scalars[1], z.data(), nullptr),
              NZ_OK);
    EXPECT_EQ(y, z);
    EXPECT_EQ(C<T>::bound_enqueue(b, nullptr, x.data(), &scalars[1], y.data()),
              NZ_INVALID_ARGUMENT);
    EXPECT_TRUE(says("alpha is NULL"));
    using Other = std::complex<std::conditional_t<sizeof(T) == 8, double, float>>;
    const Other one(1);
    Other other[31];
    EXPECT_EQ(C<Other>::bound_enqueue(b, &one, other, &one, other), NZ_INVALID_ARGUMENT);
    EXPECT_TRUE(says("bound is of complex"));
  }
}

TYPED_TEST(CComplex, TellsOfItselfAndTakesNewValues) {
  using T = TypeParam;
  auto a = drawn_matrix<T>(60, 50);
  PlanHandle plan;
  {
    const Matrix m = borrowed(a);
    EXPECT_EQ(nz_matrix_type(m.get()), C<T>::type);
    plan = planned(m);
  }
  EXPECT_EQ(nz_plan_type(plan.get()), C<T>::type);
  EXPECT_EQ(nz_plan_rows(plan.get()), 60);
  EXPECT_EQ(nz_plan_columns(plan.get()), 50);
  EXPECT_EQ(nz_plan_nonzeros(plan.get()), a.nnz());
  EXPECT_GE(nz_plan_bytes(plan.get()), 0);
  EXPECT_GE(nz_plan_setup_seconds(plan.get()), 0);
  char text[4096];
  ASSERT_GT(nz_plan_explain(plan.get(), text, sizeof text), 0) << nz_last_error();
  EXPECT_NE(std::string(text).find(nz_plan_kernel(plan.get())), std::string::npos) << text;
  double seconds = -1;
  ASSERT_EQ(nz_plan_measure(plan.get(), NZ_CONJUGATE_TRANSPOSE, &seconds), NZ_OK);
  EXPECT_GT(seconds, 0);
  EXPECT_EQ(nz_plan_wait(plan.get(), nullptr), NZ_OK);
  auto other = a;
  for (T& v : other.values) v *= T(0, 2);
  ASSERT_EQ(nz_plan_update_values(plan.get(), borrowed(other).get()), NZ_OK) << nz_last_error();
  expect_right(plan.get(), other);
  // Of another structure, or another type.
  const auto wrong = drawn_matrix<T>(60, 49);
  EXPECT_EQ(nz_plan_update_values(plan.get(), borrowed(wrong).get()), NZ_INVALID_ARGUMENT);
  const auto real = uneven<real_of<T>>(60, 50);
  EXPECT_EQ(nz_plan_update_values(plan.get(), borrowed(real).get()), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is of complex"));
  expect_right(plan.get(), other);
}

TYPED_TEST(CComplex, OnDevices) {
  using T = TypeParam;
  NZ_NEEDS_A_DEVICE();
  for (const char* device : devices_here()) {
    const auto a = drawn_matrix<T>(40, 30);
    nz_plan_options o = plan_options();
    o.device = device;
    o.op = NZ_BOTH;
    const PlanHandle plan = planned(borrowed(a), &o);
    EXPECT_STREQ(nz_plan_device(plan.get()), device);
    expect_right(plan.get(), a);
  }
}

TYPED_TEST(CComplex, RefusesWhatMakesNoSense) {
  using T = TypeParam;
  const auto a = drawn_matrix<T>(31, 17);
  const PlanHandle plan = planned(borrowed(a));
  const std::vector<T> x = drawn<T>(40, 9);
  std::vector<T> y = drawn<T>(40, 10);
  const std::vector<T> before = y;
  const T one(1);
  const auto multiply = [&](const nz_plan* p, nz_op op, const T* alpha, const T* from,
                            const T* beta, T* to, void* stream) {
    const nz_status s = C<T>::multiply(p, op, alpha, from, beta, to, stream);
    EXPECT_EQ(C<T>::enqueue(p, op, alpha, from, beta, to, stream), s);
    return s;
  };
  EXPECT_EQ(multiply(nullptr, NZ_NONE, &one, x.data(), &one, y.data(), nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is NULL"));
  EXPECT_EQ(multiply(plan.get(), NZ_NONE, nullptr, x.data(), &one, y.data(), nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("alpha is NULL"));
  EXPECT_EQ(multiply(plan.get(), NZ_NONE, &one, x.data(), nullptr, y.data(), nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("beta is NULL"));
  EXPECT_EQ(multiply(plan.get(), NZ_NONE, &one, nullptr, &one, y.data(), nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("x is NULL"));
  EXPECT_EQ(multiply(plan.get(), NZ_NONE, &one, x.data(), &one, nullptr, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("y is NULL"));
  EXPECT_EQ(multiply(plan.get(), NZ_BOTH, &one, x.data(), &one, y.data(), nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_EQ(multiply(plan.get(), 5, &one, x.data(), &one, y.data(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(multiply(plan.get(), NZ_NONE, &one, y.data() + 5, &one, y.data(), nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("overlap"));
  EXPECT_EQ(multiply(plan.get(), NZ_NONE, &one, x.data(), &one, y.data(), &y), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("stream"));
  const auto several = [&](std::int32_t count, const T* alpha, nz_layout layout,
                           std::int64_t leading, const T* beta) {
    return C<T>::multiply_several(plan.get(), NZ_NONE, count, alpha, x.data(), layout, leading,
                                  beta, y.data(), NZ_COLUMN_MAJOR, 0, nullptr);
  };
  EXPECT_EQ(several(-1, &one, NZ_COLUMN_MAJOR, 17, &one), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(several(1, nullptr, NZ_COLUMN_MAJOR, 17, &one), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(several(1, &one, NZ_COLUMN_MAJOR, 17, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(several(1, &one, NZ_COLUMN_MAJOR, 16, &one), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(several(1, &one, 7, 17, &one), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("no layout has the number 7"));
  const auto vectors = [&](std::int32_t count, const T* alpha, std::int64_t stride, const T* beta) {
    return C<T>::multiply_vectors(plan.get(), NZ_NONE, count, alpha, x.data(), stride, beta,
                                  y.data(), 31, nullptr);
  };
  EXPECT_EQ(vectors(-1, &one, 17, &one), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(vectors(1, nullptr, 17, &one), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("alpha is NULL"));
  EXPECT_EQ(vectors(1, &one, 17, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("beta is NULL"));
  EXPECT_EQ(vectors(1, &one, 16, &one), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("x_stride is 16, and x has 17 elements"));
  EXPECT_EQ(y, before);
}

// A plan is of one type, and says which.
TEST(CComplexErrors, OtherTypes) {
  const auto z = uneven<nz_c128>(4, 4);
  const auto d = uneven<double>(4, 4);
  const PlanHandle of_z = planned(borrowed(z)), of_d = planned(borrowed(d));
  const nz_c64 c[5]{};
  nz_c64 c_out[4]{};
  const nz_c128 w[5]{};
  nz_c128 w_out[4]{};
  const double x[4]{};
  double y[4]{};
  EXPECT_EQ(nz_multiply_c64(of_z.get(), NZ_NONE, c, c, c, c_out, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is of complex double, not of complex float"));
  EXPECT_EQ(nz_multiply_f64(of_z.get(), NZ_NONE, 1, x, 0, y, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is of complex double, not of double"));
  EXPECT_EQ(nz_multiply_c128(of_d.get(), NZ_NONE, w, w, w, w_out, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("plan is of double, not of complex double"));
  EXPECT_EQ(nz_pagerank_f64(of_z.get(), y, nullptr, nullptr), NZ_INVALID_ARGUMENT);
}

// Kernels and options that complex numbers do not have.
TEST(CComplexErrors, WhatIsForRealNumbers) {
  const auto z = uneven<nz_c128>(8, 8);
  const Matrix m = borrowed(z);
  nz_plan_options o = plan_options();
  nz_plan* p = reinterpret_cast<nz_plan*>(&p);
  o.kernel = "cpu/csr/serial";
  EXPECT_EQ(nz_plan_create(&p, m.get(), &o), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(p, nullptr);
  o = plan_options();
  o.store_values_as = NZ_VALUES_F32;
  EXPECT_EQ(nz_plan_create(&p, m.get(), &o), NZ_INVALID_ARGUMENT);
  nz_preconditioner* jacobi = nullptr;
  EXPECT_EQ(nz_preconditioner_jacobi(&jacobi, m.get(), 1, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("matrix is of complex double, and preconditioners are of real numbers"));
  EXPECT_EQ(nz_preconditioner_create(&jacobi, m.get(), "fsai", nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(jacobi, nullptr);
  nz_batch* batch = nullptr;
  const nz_matrix* all[] = {m.get()};
  EXPECT_EQ(nz_batch_of(&batch, 1, all, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("matrix is of complex double, and batches are of real numbers"));
  EXPECT_EQ(batch, nullptr);
  double value = 7;
  EXPECT_EQ(nz_largest_eigenvalue(planned(m).get(), &value, nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("of real numbers"));
  EXPECT_EQ(value, 7);
}

}  // namespace
}  // namespace nz::test
