#include <nonzero/truth.hpp>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

// Tests of the oracle itself: it must catch what is wrong and pass what is only different.
namespace nz {
namespace {

template <class T>
class Oracle : public ::testing::Test {
 protected:
  static constexpr index_t n = 40;
  static constexpr T inf = std::numeric_limits<T>::infinity();
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();

  Oracle() {
    std::mt19937_64 random(12345);
    std::uniform_real_distribution<T> value(T(-1), T(1));
    std::vector<index_t> r, c;
    std::vector<T> v;
    for (index_t i = 0; i < n; ++i)
      for (index_t j = i % 3; j < n; j += 1 + i % 5) {
        r.push_back(i);
        c.push_back(j);
        v.push_back(value(random));
      }
    a = csr_from_triplets<T, std::int32_t>(n, n, r, c, v);
    x.resize(n);
    y.resize(n);
    for (T& e : x) e = value(random);
    for (T& e : y) e = value(random);
  }

  // A plain product in T, summed forwards or backwards.
  std::vector<T> multiply(Op op, T alpha, T beta, bool backwards = false) const {
    std::vector<T> sum(n, T(0)), out(n);
    const auto view = a.view();
    for (index_t s = 0; s < n; ++s) {
      const index_t i = backwards ? n - 1 - s : s;
      for (std::int32_t t = 0; t < view.offsets[i + 1] - view.offsets[i]; ++t) {
        const std::int32_t k = backwards ? view.offsets[i + 1] - 1 - t : view.offsets[i] + t;
        const index_t j = view.columns[k];
        if (op == Op::none)
          sum[i] += view.values[k] * x[j];
        else
          sum[j] += view.values[k] * x[i];
      }
    }
    for (index_t i = 0; i < n; ++i)
      out[i] = beta == 0 ? alpha * sum[i] : alpha * sum[i] + beta * y[i];
    return out;
  }

  Verdict judge(const std::vector<T>& computed, Op op = Op::none, T alpha = 1, T beta = 0) const {
    return check_product<T, std::int32_t>(a.view(), op, alpha, x, beta, y, computed);
  }

  Csr<T, std::int32_t> a;
  std::vector<T> x, y;
};

using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Oracle, Values);

TYPED_TEST(Oracle, PassesBothSummationOrders) {
  for (const Op op : all_ops)
    for (const TypeParam alpha : {1.0, -0.5, 0.0})
      for (const TypeParam beta : {0.0, 1.0, -0.5})
        for (const bool backwards : {false, true}) {
          const Verdict v =
              this->judge(this->multiply(op, alpha, beta, backwards), op, alpha, beta);
          EXPECT_TRUE(v.right()) << v.message();
          EXPECT_EQ(v.rows, this->n);
          EXPECT_EQ(v.unjudged, 0);
          EXPECT_LE(v.worst, 1.0);
        }
}

TYPED_TEST(Oracle, CatchesOneStepBeyondTheBoundAndNothingBefore) {
  using T = TypeParam;
  // One row of ones times ones: 8 terms, exact sum 8, bound (8 + 3) u 8.
  const std::vector<T> ones(8, T(1));
  const Csr<T, std::int32_t> row{1, 8, {0, 8}, {0, 1, 2, 3, 4, 5, 6, 7}, Array<T>(8, T(1))};
  const auto judge = [&](T value) {
    return check_product<T, std::int32_t>(row.view(), Op::none, T(1), ones, T(0), {},
                                          std::vector<T>{value});
  };
  const T u = std::numeric_limits<T>::epsilon() / 2;
  const T bound = 11 * u * 8;  // exact in T: the spacing of T at 8 is 16 u
  EXPECT_TRUE(judge(T(8)).right());
  EXPECT_TRUE(judge(T(8) + 5 * 16 * u).right());   // 80 u < 88 u
  EXPECT_FALSE(judge(T(8) + 6 * 16 * u).right());  // 96 u > 88 u: one last bit further
  EXPECT_FALSE(judge(T(8) - 12 * 8 * u).right());
  EXPECT_NEAR(judge(T(9)).bound, bound, bound * 1e-6);
  EXPECT_EQ(judge(T(9)).first_wrong, 0);
  EXPECT_NE(judge(T(9)).message().find("row 0 (counting from 0): 9, exact 8"), std::string::npos);
}

TYPED_TEST(Oracle, CatchesADroppedNonzero) {
  for (const Op op : all_ops) {
    const auto whole = this->a;
    for (const std::int32_t k : {0, 17, static_cast<int>(whole.nnz()) - 1}) {
      this->a.values[k] = 0;
      const auto without = this->multiply(op, 1, 0);
      this->a = whole;
      EXPECT_EQ(this->judge(without, op).wrong, 1);
    }
  }
}

TYPED_TEST(Oracle, CatchesASwappedRow) {
  auto out = this->multiply(Op::none, 1, 0);
  std::swap(out[3], out[30]);
  const Verdict v = this->judge(out);
  EXPECT_EQ(v.wrong, 2);
  EXPECT_EQ(v.first_wrong, 3);
}

TYPED_TEST(Oracle, CatchesNaNAndInfinity) {
  const auto good = this->multiply(Op::none, 1, 0);
  for (const TypeParam bad : {this->nan, this->inf, -this->inf}) {
    auto out = good;
    out[39] = bad;
    const Verdict v = this->judge(out);
    EXPECT_EQ(v.wrong, 1);
    EXPECT_EQ(v.first_wrong, 39);
  }
}

TYPED_TEST(Oracle, ComparesNonFiniteResultsByClass) {
  using T = TypeParam;
  const Csr<T, std::int32_t> row{1, 2, {0, 2}, {0, 1}, {T(1), T(-2)}};
  const auto right = [&](std::vector<T> in, T alpha, T computed) {
    return check_product<T, std::int32_t>(row.view(), Op::none, alpha, in, T(0), {},
                                          std::vector<T>{computed})
        .right();
  };
  constexpr T oo = std::numeric_limits<T>::infinity();
  constexpr T no = std::numeric_limits<T>::quiet_NaN();
  EXPECT_TRUE(right({oo, 1}, 1, oo));
  EXPECT_FALSE(right({oo, 1}, 1, -oo));
  EXPECT_FALSE(right({oo, 1}, 1, no));
  EXPECT_FALSE(right({oo, 1}, 1, T(5)));
  EXPECT_TRUE(right({oo, 1}, T(-0.5), -oo));
  EXPECT_TRUE(right({oo, oo}, 1, no));  // inf - inf
  EXPECT_FALSE(right({oo, oo}, 1, oo));
  EXPECT_TRUE(right({no, 1}, 1, no));
  EXPECT_FALSE(right({no, 1}, 1, T(0)));
  EXPECT_TRUE(right({no, oo}, 0, T(0)));  // alpha = 0 never reads x
}

TYPED_TEST(Oracle, NeverReadsYBeforeWhenBetaIsZero) {
  std::fill(this->y.begin(), this->y.end(), this->nan);
  EXPECT_TRUE(this->judge(this->multiply(Op::none, 1, 0)).right());
  EXPECT_FALSE(this->judge(this->multiply(Op::none, 1, 0), Op::none, 1, 1).right());
}

TYPED_TEST(Oracle, AnEmptyRowIsExactlyBetaY) {
  using T = TypeParam;
  const Csr<T, std::int32_t> empty{1, 1, {0, 0}, {}, {}};
  const std::vector<T> one{1}, before{3};
  const auto right = [&](T beta, T computed) {
    return check_product<T, std::int32_t>(empty.view(), Op::none, T(1), one, beta, before,
                                          std::vector<T>{computed})
        .right();
  };
  EXPECT_TRUE(right(0, 0));
  EXPECT_FALSE(right(0, std::numeric_limits<T>::denorm_min()));
  EXPECT_TRUE(right(T(-0.5), T(-1.5)));
  EXPECT_FALSE(right(T(-0.5), T(1.5)));
}

TYPED_TEST(Oracle, LeavesPossibleOverflowUnjudgedAndSaysSo) {
  using T = TypeParam;
  const T big = std::numeric_limits<T>::max();
  const Csr<T, std::int32_t> row{1, 3, {0, 3}, {0, 1, 2}, {big, big, -big}};
  const Verdict v = check_product<T, std::int32_t>(
      row.view(), Op::none, T(1), std::vector<T>{1, 1, 1}, T(0), {}, std::vector<T>{this->inf});
  EXPECT_EQ(v.unjudged, 1);
  EXPECT_EQ(v.wrong, 0);
}

TYPED_TEST(Oracle, RefusesWrongLengths) {
  using T = TypeParam;
  const std::vector<T> shorter(this->n - 1);
  EXPECT_THROW(this->judge(shorter), InvalidArgument);
  EXPECT_THROW(
      (check_product<T, std::int32_t>(this->a.view(), Op::none, T(1), shorter, T(0), {}, this->y)),
      InvalidArgument);
}

// Cancellation: the exact answer is 1 and a plain double sum says 0. The oracle must know.
TEST(OraclePrecision, SeesThroughCancellation) {
  const Csr<double, std::int32_t> row{1, 3, {0, 3}, {0, 1, 2}, {1e17, 1.0, -1e17}};
  const std::vector<double> ones(3, 1.0);
  const Verdict v = check_product<double, std::int32_t>(row.view(), Op::none, 1.0, ones, 0.0, {},
                                                        std::vector<double>{1e6});
  EXPECT_EQ(v.exact, 1.0);
  EXPECT_FALSE(v.right());
}

}  // namespace
}  // namespace nz
