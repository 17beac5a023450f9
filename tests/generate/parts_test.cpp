#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <nonzero/error.hpp>

#include "generate/hash.hpp"
#include "generate/lengths.hpp"
#include "generate/permutation.hpp"
#include "generate/strata.hpp"

namespace nz {
namespace {

TEST(Hash, DependsOnSeedPlaceAndNumber) {
  const Hash a(1), b(2);
  EXPECT_NE(a(0), b(0));
  EXPECT_NE(a(0), a(1));
  EXPECT_NE(a.at(0)(1), a.at(1)(0));
  EXPECT_EQ(a.at(3)(4), Hash(1).at(3)(4));
}

TEST(Hash, ValuesAreInsideTheOpenIntervalAndNeverZero) {
  EXPECT_EQ(signed_value(0), -1 + 0x1p-52);
  EXPECT_EQ(signed_value(~std::uint64_t{0}), 1 - 0x1p-52);
  const Hash h(5);
  double sum = 0;
  for (int k = 0; k < 10000; ++k) {
    const double v = signed_value(h(k));
    EXPECT_TRUE(v > -1 && v < 1 && v != 0);
    sum += v;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.03);  // 5 standard deviations
}

TEST(Chance, IsExactAtTheEndsAndFairBetween) {
  const Hash h(6);
  int hits = 0;
  for (int k = 0; k < 10000; ++k) {
    EXPECT_FALSE(Chance(0)(h(k)));
    EXPECT_TRUE(Chance(1)(h(k)));
    hits += Chance(0.3)(h(k));
  }
  EXPECT_FALSE(Chance(0)(0));
  EXPECT_TRUE(Chance(1)(~std::uint64_t{0}));
  EXPECT_NEAR(hits, 3000, 230);
}

TEST(Permutation, IsOneToOne) {
  for (const std::uint64_t n : {1u, 2u, 3u, 4u, 5u, 17u, 64u, 1000u, 4097u}) {
    const Permutation p(n, Hash(n));
    std::vector<int> met(n, 0);
    for (std::uint64_t k = 0; k < n; ++k) {
      ASSERT_LT(p(k), n);
      ++met[p(k)];
    }
    EXPECT_TRUE(std::all_of(met.begin(), met.end(), [](int m) { return m == 1; })) << n;
  }
}

TEST(Strata, AreDistinctAndIncreasing) {
  for (const std::int64_t universe : {1, 7, 100, 2147483647})
    for (const std::int64_t count : {std::int64_t{1}, universe / 3 + 1, universe}) {
      const Strata s(universe, count, Hash(3));
      std::int64_t last = -1;
      for (std::int64_t t = 0; t < std::min<std::int64_t>(count, 500); ++t) {
        ASSERT_GT(s[t], last);
        ASSERT_LT(s[t], universe);
        last = s[t];
      }
      EXPECT_LT(s[count - 1], universe);
    }
}

class Lengths : public testing::TestWithParam<Shape> {};

TEST_P(Lengths, MeetTotalMinAndMax) {
  struct Case {
    std::int64_t rows, total, min, max;
  };
  for (const auto& [rows, total, min, max] :
       {Case{1, 5, 5, 5}, Case{2, 7, 2, 5}, Case{3, 7, 0, 5}, Case{3, 5, 0, 5}, Case{3, 10, 0, 5},
        Case{100, 250, 1, 30}, Case{100, 129, 1, 30}, Case{100, 2971, 1, 30},
        Case{1000, 9999, 0, 1000}, Case{1000, 500, 0, 400}, Case{777, 777 * 3, 3, 3}}) {
    const RankedLengths lengths(rows, total, min, max, GetParam());
    std::int64_t sum = 0, longest = 0, shortest = max;
    for (std::int64_t r = 0; r < rows; ++r) {
      sum += lengths[r];
      longest = std::max(longest, lengths[r]);
      shortest = std::min(shortest, lengths[r]);
    }
    EXPECT_EQ(sum, total) << rows << " rows, " << min << " to " << max;
    EXPECT_EQ(longest, max);
    EXPECT_EQ(shortest, rows == 1 ? max : min);
  }
  EXPECT_NO_THROW(RankedLengths(0, 0, 0, 0, GetParam()));
  EXPECT_THROW(RankedLengths(0, 1, 0, 1, GetParam()), InvalidArgument);
  EXPECT_THROW(RankedLengths(3, 4, 0, 5, GetParam()), InvalidArgument);
  EXPECT_THROW(RankedLengths(3, 11, 0, 5, GetParam()), InvalidArgument);
  EXPECT_THROW(RankedLengths(3, 9, 4, 3, GetParam()), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Lengths,
                         testing::Values(Shape::flat, Shape::spread, Shape::tail, Shape::heavy));

}  // namespace
}  // namespace nz
