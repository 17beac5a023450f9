#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/truth.hpp>

// The oracle at every scale that the types have, against arithmetic in binary128, whose range holds
// every product of three doubles; and with scalars that are not finite.
namespace nz {
namespace {

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Quad;
#else
using Quad = long double;  // binary128 where the compiler has no name for it
#endif
Quad size(Quad q) { return q < 0 ? -q : q; }

template <class T>
class Scales : public ::testing::Test {
 protected:
  using limits = std::numeric_limits<T>;
  static constexpr int top = limits::max_exponent, bottom = limits::min_exponent - limits::digits;
  static constexpr T inf = limits::infinity(), nan = limits::quiet_NaN();
  std::mt19937_64 random{20};

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
  // A number of either sign with an exponent from low to high.
  T number(int low, int high) {
    const double mantissa = std::uniform_real_distribution<double>(0.5, 1)(random);
    return static_cast<T>(std::ldexp(between(0, 1) ? mantissa : -mantissa, between(low, high)));
  }

  // One row.
  struct Row {
    Csr<T, std::int32_t> a;
    std::vector<T> x;
    T alpha = 1, beta = 0;
    std::vector<T> y{T(0)};

    Verdict judge(T computed) const {
      return check_product<T, std::int32_t>(a.view(), Op::none, alpha, x, beta, y,
                                            std::vector<T>{computed});
    }
    std::size_t n() const { return x.size(); }
    Quad sum(bool sizes) const {
      Quad s = 0;
      for (std::size_t k = 0; k < n(); ++k) {
        const Quad p = Quad(a.values[k]) * Quad(x[k]);
        s += sizes ? size(p) : p;
      }
      return s;
    }
    Quad exact() const { return Quad(alpha) * sum(false) + Quad(beta) * Quad(y[0]); }
    Quad magnitude() const { return size(Quad(alpha)) * sum(true) + size(Quad(beta) * Quad(y[0])); }
    Quad bound() const {
      const Quad k = Quad(static_cast<double>(n() + 3)), eta = limits::denorm_min();
      Quad b = k * Quad(limits::epsilon() / 2) * magnitude();
      if (sum(true) > 0) b += k * (size(Quad(alpha)) + 1) * eta;
      if (Quad(beta) * Quad(y[0]) != 0) b += eta;
      return b;
    }
    bool fits() const {
      return sum(true) < Quad(limits::max()) / 2 && magnitude() < Quad(limits::max()) / 2;
    }
  };

  Row row(std::size_t n) {
    Row r;
    r.a.rows = 1;
    r.a.cols = static_cast<index_t>(n);
    r.a.offsets = {0, static_cast<std::int32_t>(n)};
    r.a.columns = Array<index_t>(n);
    r.a.values = Array<T>(n);
    r.x.resize(n);
    for (std::size_t k = 0; k < n; ++k) r.a.columns[k] = static_cast<index_t>(k);
    return r;
  }
  // Of any scales that do not overflow; sometimes all entries are alike, sometimes none.
  Row drawn() {
    for (;;) {
      Row r = row(static_cast<std::size_t>(between(0, 12)));
      const int at_a = between(bottom, top), at_x = between(bottom, top);
      const int spread = between(0, 2) == 0 ? top : 3;
      for (T& v : r.a.values) v = number(std::max(bottom, at_a - spread), at_a);
      for (T& v : r.x) v = number(std::max(bottom, at_x - spread), at_x);
      if (r.n() > 1 && between(0, 2) == 0) {  // cancellation
        r.a.values[1] = -r.a.values[0];
        r.x[1] = r.x[0];
      }
      r.alpha = number(bottom, top);
      r.beta = between(0, 2) == 0 ? T(0) : number(bottom, top);
      r.y = {number(bottom, top)};
      if (std::isfinite(r.alpha) && std::isfinite(r.beta) && r.fits()) return r;
    }
  }
  // The number of the type nearest to q, which is within its range.
  static T nearest(Quad q) { return static_cast<T>(q); }
};

using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Scales, Values);

TYPED_TEST(Scales, PassesWhatIsWithinTheBoundAndNothingElse) {
  using T = TypeParam;
  int passed = 0, failed = 0, tiny = 0;
  for (int round = 0; round < 4000; ++round) {
    const auto r = this->drawn();
    const Quad exact = r.exact(), bound = r.bound();
    EXPECT_TRUE(r.judge(this->nearest(exact)).right()) << r.judge(this->nearest(exact)).message();
    // The numbers next to both ends of what is allowed.
    for (const Quad end : {exact - bound, exact + bound}) {
      const T near = this->nearest(end);
      for (const T c : {std::nextafter(near, -this->inf), near, std::nextafter(near, this->inf)}) {
        const Quad error = size(Quad(c) - exact);
        if (size(error - bound) <= bound * Quad(1e-12)) continue;  // the bound itself is rounded
        const Verdict v = r.judge(c);
        EXPECT_EQ(v.right(), error < bound) << v.message();
        EXPECT_EQ(v.unjudged, 0);
        ++(v.right() ? passed : failed);
      }
    }
    if (size(exact) < Quad(std::numeric_limits<T>::min()) && r.n() > 0) ++tiny;
  }
  EXPECT_GT(passed, 4000);
  EXPECT_GT(failed, 4000);
  EXPECT_GT(tiny, 100) << "results below the normal range";
}

// The bound holds for the orders of arithmetic that kernels may choose.
TYPED_TEST(Scales, HoldsForAlphaTimesSumsAndTimesProducts) {
  using T = TypeParam;
  for (int round = 0; round < 4000; ++round) {
    const auto r = this->drawn();
    const T start = r.beta == T(0) ? T(0) : r.beta * r.y[0];
    T whole = 0, parts = start;
    for (std::size_t k = 0; k < r.n(); ++k) {
      whole += r.a.values[k] * r.x[k];
      parts += r.alpha * (r.a.values[k] * r.x[k]);
    }
    for (const T computed : {r.alpha * whole + start, parts}) {
      const Verdict v = r.judge(computed);
      EXPECT_TRUE(v.right()) << v.message();
      EXPECT_EQ(v.unjudged, 0);
    }
  }
}

TYPED_TEST(Scales, CatchesAlphaTimesX) {
  using T = TypeParam;
  const T huge = std::ldexp(T(1), this->top - 4);
  auto r = this->row(2);
  r.a.values = {1 / huge, 1 / huge};
  r.x = {huge, huge};
  r.alpha = 1000;
  EXPECT_TRUE(r.judge(2000).right());
  EXPECT_FALSE(r.judge((r.alpha * r.x[0]) * r.a.values[0] * 2).right()) << "overflows";
  r.alpha = 1 / huge;
  r.a.values = {huge, huge};
  r.x = {1 / huge, 1 / huge};
  EXPECT_TRUE(r.judge(2 / huge).right());
  EXPECT_FALSE(r.judge((r.alpha * r.x[0]) * r.a.values[0] * 2).right()) << "vanishes";
}

TYPED_TEST(Scales, DoesNotJudgeWhatMayOverflow) {
  using T = TypeParam;
  const T big = std::numeric_limits<T>::max() / 2;
  auto r = this->row(2);
  r.a.values = {big, big};
  r.x = {T(1), T(-1)};
  r.alpha = T(0.125);
  EXPECT_EQ(r.judge(0).unjudged, 1) << "a sum that rounding may push over the end";
  r.x = {T(0.5), T(-0.5)};
  EXPECT_EQ(r.judge(0).unjudged, 0);
  r.alpha = 3;
  EXPECT_EQ(r.judge(0).unjudged, 1) << "alpha times a part of the sum";
  r.alpha = 1;
  r.beta = 2;
  r.y = {big};
  EXPECT_EQ(r.judge(0).unjudged, 1) << "beta y";
  // An infinity that a finite term may meet with the other sign.
  r = this->row(3);
  r.a.values = {-this->inf, big, big};
  r.x = {1, 2, 2};
  EXPECT_EQ(r.judge(-this->inf).unjudged, 1);
  r.x = {this->nan, 2, 2};
  EXPECT_EQ(r.judge(-this->inf).wrong, 1) << "NaN, whatever overflows";
}

TYPED_TEST(Scales, TakesScalarsThatAreNotFiniteByTheFormula) {
  using T = TypeParam;
  constexpr T oo = std::numeric_limits<T>::infinity(), no = std::numeric_limits<T>::quiet_NaN();
  const auto right = [&](std::vector<T> values, T alpha, T beta, T y, T computed) {
    auto r = this->row(values.size());
    std::copy(values.begin(), values.end(), r.a.values.begin());
    std::fill(r.x.begin(), r.x.end(), T(1));
    r.alpha = alpha;
    r.beta = beta;
    r.y = {y};
    const Verdict v = r.judge(computed);
    EXPECT_EQ(v.unjudged, 0) << v.message();
    return v.right();
  };
  for (const T value : {T(0), T(1), T(-1), oo, -oo, no})
    for (const T beta : {T(0), T(1), T(-0.5), oo, -oo, no})
      for (const T alpha : {T(2), T(-2), oo, -oo, no})
        for (const T y : {T(0), T(3), oo}) {
          const T sum = alpha * value, all = beta == T(0) ? sum : sum + beta * y;
          EXPECT_TRUE(right({value}, alpha, beta, y, all));
          if (std::isfinite(all)) continue;
          EXPECT_FALSE(right({value}, alpha, beta, y, T(0)));
          EXPECT_FALSE(right({value}, alpha, beta, y, std::isnan(all) ? oo : no));
          EXPECT_FALSE(right({value}, alpha, beta, y, -all) && !std::isnan(all));
        }
  for (const T alpha : {oo, -oo, no}) {  // a row without entries
    EXPECT_TRUE(right({}, alpha, T(0), T(3), no));
    EXPECT_FALSE(right({}, alpha, T(0), T(3), T(0)));
    EXPECT_TRUE(right({}, alpha, T(1), T(3), no));
  }
  EXPECT_TRUE(right({}, T(1), oo, T(-3), -oo));
  EXPECT_TRUE(right({}, T(0), oo, T(-3), -oo));
  EXPECT_TRUE(right({}, T(0), oo, T(0), no));
}

TYPED_TEST(Scales, DoesNotJudgeSignsThatRoundingMayTurn) {
  using T = TypeParam;
  auto r = this->row(2);
  r.a.values = {T(1) + std::numeric_limits<T>::epsilon(), T(-1)};
  r.x = {1, 1};
  r.alpha = this->inf;
  EXPECT_EQ(r.judge(this->inf).unjudged, 1);
  r.beta = this->nan;
  EXPECT_EQ(r.judge(this->inf).wrong, 1) << "NaN in any case";
  r.beta = 0;
  r.a.values[1] = T(-0.5);
  EXPECT_EQ(r.judge(this->inf).unjudged, 0);
  EXPECT_FALSE(r.judge(-this->inf).right());
}

TYPED_TEST(Scales, WidensForAnyAlpha) {
  using T = TypeParam;
  auto r = this->row(2);
  r.a.values = {1, 1};
  r.x = {1, 1};
  const auto wide = [&](T alpha, T computed) {
    const auto exact = exact_product<T, std::int32_t>(r.a.view(), Op::none, alpha, r.x, T(0), {});
    return widened<T, std::int32_t>(exact, r.a.view(), alpha, r.x, 8)
        .judge(std::vector<T>{computed});
  };
  EXPECT_EQ(wide(this->nan, T(0)).wrong, 1);
  EXPECT_EQ(wide(this->inf, this->inf).unjudged, 1);
  // Results below the normal range: the bound's terms with eta are all there is.
  const T small = std::ldexp(T(1), this->bottom + 2);
  r.a.values = {small, small};
  const T eta = std::numeric_limits<T>::denorm_min();
  EXPECT_TRUE(wide(T(1), 2 * small + 20 * eta).right());  // (2 + 3) 2 eta + (2 + 8 + 3) 2 eta
  EXPECT_FALSE(wide(T(1), 2 * small + 40 * eta).right());
}

}  // namespace
}  // namespace nz
