#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/truth.hpp>

namespace nz {
namespace {

using C = std::complex<double>;
constexpr double infinite = std::numeric_limits<double>::infinity();

// [1+2i  0  -i; 0 0 0]
Csr<C, std::int32_t> example() { return {2, 3, {0, 2, 2}, {0, 2}, {{1, 2}, {0, -1}}}; }

Verdict check(Op op, C alpha, std::vector<C> x, C beta, std::vector<C> before,
              std::vector<C> computed) {
  return check_product<C, std::int32_t>(example().view(), op, alpha, x, beta, before, computed);
}

TEST(ComplexTruth, AllFourProducts) {
  const std::vector<C> x{{1, 1}, {5, 5}, {2, 0}}, z{{2, 1}, {7, 7}};
  EXPECT_TRUE(check(Op::none, 1, x, 0, {}, {{-1, 1}, 0}).right());
  EXPECT_TRUE(check(Op::conjugate, 1, x, 0, {}, {{3, 1}, 0}).right());
  EXPECT_TRUE(check(Op::transpose, 1, z, 0, {}, {{0, 5}, 0, {1, -2}}).right());
  EXPECT_TRUE(check(Op::conjugate_transpose, 1, z, 0, {}, {{4, -3}, 0, {-1, 2}}).right());
  // i (-1 + i) + (1 + i) (2 - i) = -1 - i + 3 + i
  EXPECT_TRUE(check(Op::none, {0, 1}, x, {1, 1}, {{2, -1}, {0, 1}}, {{2, 0}, {-1, 1}}).right());
}

TEST(ComplexTruth, ErrorsBeyondTheBoundAreFound) {
  const std::vector<C> x{{1, 1}, {5, 5}, {2, 0}};
  const double step = std::ldexp(1.0, -52);
  EXPECT_TRUE(check(Op::none, 1, x, 0, {}, {{-1 + step, 1 - step}, 0}).right());
  // Ten products of size 5 at most, and six roundings more.
  const Verdict real = check(Op::none, 1, x, 0, {}, {{-1 + 200 * step, 1}, 0});
  EXPECT_EQ(real.wrong, 1);
  EXPECT_NE(real.message().find("real part"), std::string::npos) << real.message();
  const Verdict imaginary = check(Op::none, 1, x, 0, {}, {{-1, 1 + 200 * step}, 0});
  EXPECT_EQ(imaginary.wrong, 1);
  EXPECT_NE(imaginary.message().find("imaginary part"), std::string::npos);
  EXPECT_FALSE(check(Op::none, 1, x, 0, {}, {{-1, 1}, {0, 1e-300}}).right());
  EXPECT_FALSE(check(Op::conjugate, 1, x, 0, {}, {{-1, 1}, 0}).right());
  EXPECT_FALSE(check(Op::none, 1, x, 0, {}, {{-1, NAN}, 0}).right());
}

TEST(ComplexTruth, WhatIsNotFinite) {
  const std::vector<C> x{{infinite, 1}, {NAN, 5}, {2, 0}};
  EXPECT_TRUE(check(Op::none, 1, x, 0, {}, {{infinite, NAN}, 0}).right());
  EXPECT_TRUE(check(Op::none, 1, x, 0, {}, {{infinite, 3}, 0}).right());
  EXPECT_FALSE(check(Op::none, 1, x, 0, {}, {{1, 3}, 0}).right());
  EXPECT_FALSE(check(Op::none, 1, x, 0, {}, {{NAN, NAN}, {NAN, 0}}).right());
  EXPECT_TRUE(check(Op::none, {0, NAN}, x, 0, {}, {{NAN, NAN}, {NAN, NAN}}).right());
  EXPECT_FALSE(check(Op::none, {0, infinite}, x, 0, {}, {{NAN, NAN}, 0}).right());
  // alpha = 0 reads neither A nor x, beta = 0 not y.
  EXPECT_TRUE(check(Op::none, 0, {}, 0, {}, {0, 0}).right());
  EXPECT_TRUE(check(Op::none, 0, {}, {0, 1}, {{1, 1}, {0, 2}}, {{-1, 1}, -2}).right());
}

TEST(ComplexTruth, SmallNumbersAndLargeOnes) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Csr<C, std::int32_t> a{1, 1, {0, 1}, {0}, {{tiny, tiny}}};
  const auto judge = [&](C x, C computed) {
    return check_product<C, std::int32_t>(a.view(), Op::none, 1, std::vector<C>{x}, 0, {},
                                          std::vector<C>{computed});
  };
  EXPECT_TRUE(judge({0.5, 0}, {0, 0}).right());
  EXPECT_TRUE(judge({0.5, 0}, {tiny, tiny}).right());
  EXPECT_FALSE(judge({0.5, 0}, {100 * tiny, 0}).right());
  const Csr<C, std::int32_t> large{1, 1, {0, 1}, {0}, {{1e308, 1e308}}};
  const Verdict v = check_product<C, std::int32_t>(
      large.view(), Op::none, 1, std::vector<C>{{2, 2}}, 0, {}, std::vector<C>{{0, infinite}});
  EXPECT_EQ(v.unjudged, 1);
  EXPECT_TRUE(v.right());
}

TEST(ComplexTruth, FlushedWidensTheBound) {
  using S = std::complex<float>;
  const Csr<S, std::int32_t> a{1, 1, {0, 1}, {0}, {{1e-38f, 0}}};
  const std::vector<S> x{{0.5f, 0}};
  const auto exact = exact_product<S, std::int32_t>(a.view(), Op::none, 1, x, 0, {});
  const std::vector<S> lost{{0, 0}};
  EXPECT_FALSE(exact.judge(lost).right());
  EXPECT_TRUE((flushed<S, std::int32_t>(exact, a.view(), Op::none, 1).judge(lost).right()));
}

}  // namespace
}  // namespace nz
