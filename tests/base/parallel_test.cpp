#include "base/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

namespace nz {
namespace {

class Threads : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_threads(GetParam()); }
  void TearDown() override { set_threads(before_); }

 private:
  int before_ = threads();
};

TEST_P(Threads, RangesCoverEverythingOnce) {
  for (const int n : {0, 1, 2, 7, 1000, 100000}) {
    std::vector<std::atomic<int>> hits(static_cast<std::size_t>(n));
    parallel_ranges(
        n,
        [&](int begin, int end) {
          ASSERT_LT(begin, end);
          for (int i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
        },
        1);
    for (const auto& h : hits) ASSERT_EQ(h, 1);
  }
}

TEST_P(Threads, AnExceptionArrivesAndTheRestFinishes) {
  std::atomic<int> finished{0}, team{0};
  EXPECT_THROW(parallel(GetParam(),
                        [&](int thread, int threads) {
                          team = threads;  // at most as many as asked for
                          if (thread == 0) throw std::runtime_error("first");
                          ++finished;
                        }),
               std::runtime_error);
  EXPECT_GE(team, 1);
  EXPECT_EQ(finished, team - 1);
}

INSTANTIATE_TEST_SUITE_P(Parallel, Threads, ::testing::Values(1, 2, 3, 7));

TEST(Parallel, PartsAreEqualAndInOrder) {
  for (const long long n : {0LL, 5LL, 1LL << 40})
    for (const int parts : {1, 3, 16}) {
      long long at = 0;
      for (int p = 0; p < parts; ++p) {
        const auto [begin, end] = part_of(n, p, parts);
        EXPECT_EQ(begin, at);
        EXPECT_GE(end - begin, n / parts);
        EXPECT_LE(end - begin, n / parts + 1);
        at = end;
      }
      EXPECT_EQ(at, n);
    }
}

TEST(Parallel, RefusesFewerThanOneThread) {
  EXPECT_THROW(set_threads(0), InvalidArgument);
  EXPECT_THROW(set_threads(-3), InvalidArgument);
}

}  // namespace
}  // namespace nz
