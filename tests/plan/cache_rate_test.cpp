#include "plan/cache_rate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <nonzero/threads.hpp>

#include "base/caches.hpp"
#include "base/parallel.hpp"

namespace nz {
namespace {

bool has_room_for(int threads) {
  return last_level_cache_bytes() / 2 >= static_cast<std::size_t>(threads) << 20;
}

TEST(CacheRate, IsMeasuredOnceWhereTheCacheHasRoom) {
  const double one = cache_rate(1);
  ASSERT_TRUE(std::isfinite(one));
  EXPECT_EQ(cache_rate(1), one);
  EXPECT_EQ(one > 0, has_room_for(1));
}

TEST(CacheRate, IsReckonedBetweenPowersOfTwo) {
  if (!has_room_for(2)) GTEST_SKIP() << "a small cache";
  const double two = cache_rate(2);
  EXPECT_GT(two, 0);
  EXPECT_DOUBLE_EQ(cache_rate(3), two * 3 / 2);
}

// Each of so many threads would have less than what its own cache holds.
TEST(CacheRate, IsUnknownWhereSharesAreSmall) {
  if (has_room_for(1 << 10)) GTEST_SKIP() << "a cache of gigabytes";
  EXPECT_EQ(cache_rate(1 << 10), 0);
}

#ifdef _OPENMP
// Threads that are not there do not read, and what one reads for all of them is not kept.
TEST(CacheRate, IsNotMeasuredWithinARegion) {
  if (!has_room_for(8)) GTEST_SKIP() << "a small cache";
  double within = -1;
  parallel(2, [&](int thread, int) {
    if (thread == 0) within = cache_rate(8);
  });
  EXPECT_EQ(within, 0);
  EXPECT_GT(cache_rate(8), 0);
}
#endif

}  // namespace
}  // namespace nz
