#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/truth.hpp>

// The wider bound for rows that are differences of prefix sums: it passes those, and nothing worse.
namespace nz {
namespace {

template <class T>
class Widened : public ::testing::Test {
 protected:
  using Matrix = Csr<T, std::int32_t>;
  static constexpr T u = std::numeric_limits<T>::epsilon() / 2;
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();

  static Reference<T> exact(const Matrix& a, const std::vector<T>& x, T alpha = 1) {
    return exact_product<T, std::int32_t>(a.view(), Op::none, alpha, x, T(0), {});
  }
  static Reference<T> wide(const Matrix& a, const std::vector<T>& x, int chunk, T alpha = 1) {
    return widened<T, std::int32_t>(exact(a, x, alpha), a.view(), alpha, x, chunk);
  }

  // Rows as differences of running sums that begin anew with every chunk.
  static std::vector<T> by_differences(const Matrix& a, const std::vector<T>& x, int chunk) {
    std::vector<T> y(static_cast<std::size_t>(a.rows), T(0));
    T sum = 0;
    std::int32_t k = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      T before = k % chunk == 0 ? T(0) : sum;
      for (; k < a.offsets[i + 1]; ++k) {
        if (k % chunk == 0) {
          if (k > a.offsets[i]) y[i] += sum - before;
          sum = before = 0;
        }
        sum += a.values[static_cast<std::size_t>(k)] *
               x[static_cast<std::size_t>(a.columns[static_cast<std::size_t>(k)])];
      }
      if (a.offsets[i + 1] > a.offsets[i]) y[i] += sum - before;
    }
    return y;
  }
};

using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Widened, Values);

TYPED_TEST(Widened, PassesDifferencesOfPrefixSumsThatTheRowsOwnBoundDoesNot) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<T> value(T(-1), T(1));
  std::vector<index_t> r, c;
  std::vector<T> v;
  for (index_t i = 0; i < 60; ++i)
    for (index_t j = 0; j < i % 13; ++j) {
      r.push_back(i);
      c.push_back(j);
      v.push_back(value(random) * (i % 4 == 0 ? T(1000) : T(1)));  // large rows beside small ones
    }
  const auto a = csr_from_triplets<T, std::int32_t>(60, 13, r, c, v);
  std::vector<T> x(13);
  for (T& e : x) e = value(random);
  for (const int chunk : {8, 32, 1024}) {
    const auto y = this->by_differences(a, x, chunk);
    EXPECT_FALSE(this->exact(a, x).judge(y).right());
    const Verdict verdict = this->wide(a, x, chunk).judge(y);
    EXPECT_TRUE(verdict.right()) << verdict.message();
    EXPECT_EQ(verdict.unjudged, 0);
    EXPECT_GT(verdict.worst, 0);
  }
}

TYPED_TEST(Widened, CatchesAnErrorBeyondTheWiderBound) {
  using T = TypeParam;
  // Rows 0 and 1 share the first chunk of two entries; row 2 has the next one; row 3 is empty.
  const Csr<T, std::int32_t> a{4, 1, {0, 1, 2, 3, 3}, {0, 0, 0}, {T(63), T(1), T(1)}};
  const std::vector<T> x{1};
  const auto right = [&](std::size_t row, T error) {
    std::vector<T> y{63, 1, 1, 0};
    y[row] += error;
    return this->wide(a, x, 2).judge(y).right();
  };
  // (1 + 3) u 1 of its own, (1 + 2 + 3) u 2 (63 + 1) of the chunk's.
  const T bound = (4 + 6 * 2 * 64) * this->u;
  EXPECT_TRUE(right(1, bound - 8 * this->u));
  EXPECT_FALSE(right(1, bound + 8 * this->u));
  EXPECT_FALSE(right(1, -bound - 8 * this->u));
  EXPECT_FALSE(right(2, bound / 8));  // (1 + 3) u + (1 + 2 + 3) u 2
  EXPECT_TRUE(right(2, 14 * this->u));
  EXPECT_FALSE(right(2, 20 * this->u));
  EXPECT_FALSE(right(3, std::numeric_limits<T>::denorm_min()));
  EXPECT_FALSE(right(0, T(1)));
}

TYPED_TEST(Widened, CountsEveryChunkThatARowTouches) {
  using T = TypeParam;
  // One row over three chunks of two, between two others.
  const Csr<T, std::int32_t> a{
      3, 1, {0, 1, 5, 6}, Array<index_t>(6, 0), {T(8), T(1), T(1), T(1), T(1), T(16)}};
  const std::vector<T> x{1};
  const auto right = [&](T error) {
    return this->wide(a, x, 2).judge(std::vector<T>{8, 4 + error, 16}).right();
  };
  // (4 + 3) u 4, and (4 + 2 + 3) u 2 (9 + 2 + 17).
  EXPECT_TRUE(right(528 * this->u));
  EXPECT_FALSE(right(536 * this->u));
}

TYPED_TEST(Widened, DoesNotJudgeRowsThatShareAChunkWithWhatIsNotFinite) {
  using T = TypeParam;
  const Csr<T, std::int32_t> a{4, 2, {0, 1, 2, 3, 4}, {1, 0, 0, 0}, {T(1), T(1), T(1), T(1)}};
  for (const T odd : {this->nan, std::numeric_limits<T>::infinity()}) {
    const auto reference = this->wide(a, {T(1), odd}, 2);
    const Verdict spread = reference.judge(std::vector<T>{this->nan, this->nan, 1, 1});
    EXPECT_EQ(spread.unjudged, 2);
    EXPECT_TRUE(spread.right()) << spread.message();
    EXPECT_EQ(reference.judge(std::vector<T>{this->nan, this->nan, this->nan, 1}).wrong, 1);
  }
}

TYPED_TEST(Widened, LeavesTheBoundAloneWhereNothingIsMultiplied) {
  using T = TypeParam;
  const Csr<T, std::int32_t> a{2, 1, {0, 1, 2}, {0, 0}, {T(5), this->nan}};
  const auto reference = this->wide(a, {this->nan}, 2, T(0));
  EXPECT_TRUE(reference.judge(std::vector<T>{0, 0}).right());
  EXPECT_EQ(reference.judge(std::vector<T>{0, this->u}).wrong, 1);
}

TYPED_TEST(Widened, RefusesWrongLengths) {
  using T = TypeParam;
  const Csr<T, std::int32_t> a{1, 1, {0, 1}, {0}, {T(1)}};
  const Csr<T, std::int32_t> taller{2, 1, {0, 1, 1}, {0}, {T(1)}};
  const std::vector<T> x{1}, longer{1, 1};
  const auto exact = this->exact(a, x);
  const auto with = [&](const Csr<T, std::int32_t>& m, const std::vector<T>& v, int chunk) {
    return widened<T, std::int32_t>(exact, m.view(), T(1), v, chunk);
  };
  EXPECT_THROW(with(a, longer, 32), InvalidArgument);
  EXPECT_THROW(with(taller, x, 32), InvalidArgument);
  EXPECT_THROW(with(a, x, 0), InvalidArgument);
}

}  // namespace
}  // namespace nz
