#include "simt/cache_scope.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace nz::test {
namespace {

TEST(CacheScope, SaysWhetherWhatIsReadOnceStaysAndWhatWasSaidBefore) {
  EXPECT_FALSE(simt::streamed_stays());
  {
    const simt::CacheScope fits(true);
    EXPECT_TRUE(simt::streamed_stays());
    {
      const simt::CacheScope too_large(false);
      EXPECT_FALSE(simt::streamed_stays());
    }
    EXPECT_TRUE(simt::streamed_stays());
  }
  EXPECT_FALSE(simt::streamed_stays());
}

TEST(CacheScope, IsOfItsThread) {
  const simt::CacheScope fits(true);
  bool stays = true;
  std::thread([&] { stays = simt::streamed_stays(); }).join();
  EXPECT_FALSE(stays);
}

}  // namespace
}  // namespace nz::test
