#include "plan/cache_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/caches.hpp"

namespace nz {
namespace {

TEST(CacheRate, IsMeasuredOnceWhereTheCacheHasRoom) {
  const double one = cache_rate(1);
  ASSERT_TRUE(std::isfinite(one));
  EXPECT_EQ(cache_rate(1), one);
  if (last_level_cache_bytes() < 2 << 20)
    EXPECT_EQ(one, 0);
  else
    EXPECT_GT(one, 0);
}

TEST(CacheRate, IsReckonedBetweenPowersOfTwo) {
  EXPECT_DOUBLE_EQ(cache_rate(3), cache_rate(2) * 3 / 2);
  EXPECT_DOUBLE_EQ(cache_rate(7), cache_rate(4) * 7 / 4);
}

// Each of so many threads would have less than what its own cache holds.
TEST(CacheRate, IsUnknownWhereSharesAreSmall) {
  if (last_level_cache_bytes() >= std::size_t{2} << 30) GTEST_SKIP() << "a cache of gigabytes";
  EXPECT_EQ(cache_rate(1 << 10), 0);
}

}  // namespace
}  // namespace nz
