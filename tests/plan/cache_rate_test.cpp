#include "plan/cache_rate.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include <nonzero/threads.hpp>

#include "base/caches.hpp"
#include "base/parallel.hpp"

namespace nz {
namespace {

constexpr double any = 1;  // more than a byte a second

bool has_room_for(int threads) {
  return last_level_cache_bytes() / 2 >= static_cast<std::size_t>(threads) << 20;
}

TEST(CacheRate, IsMeasuredOnceWhereTheCacheHasRoom) {
  const double one = cache_rate(1, any);
  ASSERT_TRUE(std::isfinite(one));
  EXPECT_EQ(cache_rate(1, any), one);
  EXPECT_EQ(one > 0, has_room_for(1));
}

TEST(CacheRate, IsReckonedBetweenPowersOfTwo) {
  if (!has_room_for(2)) GTEST_SKIP() << "a small cache";
  const double two = cache_rate(2, any);
  EXPECT_GT(two, 0);
  EXPECT_DOUBLE_EQ(cache_rate(3, any), two * 3 / 2);
}

// No cache gives that, and a rate that is no cache's is not kept.
TEST(CacheRate, IsUnknownWhereTheThreadsWereDisturbed) {
  // So many that nobody has asked for them yet.
  const int team = 16 * static_cast<int>(std::bit_ceil(static_cast<unsigned>(threads())));
  if (!has_room_for(team)) GTEST_SKIP() << "a small cache";
  EXPECT_EQ(cache_rate(team, 1e18), 0);
  const double rate = cache_rate(team, any);
  EXPECT_GT(rate, any);
  EXPECT_EQ(cache_rate(team, 1e18), rate) << "once it is known";
}

// Each of so many threads would have less than what its own cache holds.
TEST(CacheRate, IsUnknownWhereSharesAreSmall) {
  if (has_room_for(1 << 10)) GTEST_SKIP() << "a cache of gigabytes";
  EXPECT_EQ(cache_rate(1 << 10, any), 0);
}

#ifdef _OPENMP
// Threads that are not there do not read, and what one reads for all of them is not kept.
TEST(CacheRate, IsNotMeasuredWithinARegion) {
  if (!has_room_for(8)) GTEST_SKIP() << "a small cache";
  double within = -1;
  parallel(2, [&](int thread, int) {
    if (thread == 0) within = cache_rate(8, any);
  });
  EXPECT_EQ(within, 0);
  EXPECT_GT(cache_rate(8, any), 0);
}
#endif

}  // namespace
}  // namespace nz
