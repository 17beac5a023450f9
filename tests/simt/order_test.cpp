#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include <nonzero/threads.hpp>

#include "simt/run.hpp"

// The order in which threads, warps and blocks run: drawn from the seed, so that kernels that rely
// on one are found out.
namespace nz::test {
namespace {

using emulated::emulator::pin_seed;
using emulated::emulator::seed;
using emulated::emulator::set_seed;

// Threads of the grid in the order in which they got to run.
std::vector<int> order_of(int blocks, int threads) {
  const ThreadScope one(1);
  std::vector<int> order(static_cast<std::size_t>(blocks * threads));
  int next = 0;
  run(blocks, threads, 0, [p = order.data(), n = &next](Thread& t) {
    p[t.atomic_add(n, 1)] = static_cast<int>(t.global_index());
    t.sync();
  });
  return order;
}

TEST(Order, TheSameSeedGivesTheSameOrder) {
  set_seed(5);
  const auto first = order_of(3, 128), second = order_of(3, 128);
  EXPECT_NE(first, second);
  set_seed(5);
  EXPECT_EQ(order_of(3, 128), first);
  EXPECT_EQ(order_of(3, 128), second);
}

TEST(Order, SeedsCountLaunches) {
  set_seed(40);
  EXPECT_EQ(seed(), 40u);
  order_of(1, 32);
  EXPECT_EQ(seed(), 41u);
}

// What a fault says repeats it, whatever was launched before and is launched now.
TEST(Order, TheSeedOfAFaultRepeatsItWhereverItComes) {
  const ThreadScope one(1);
  const auto failing = [] {  // says who was the first to come
    int came = 0;
    return fault(5, 128, 0, [p = &came](Thread& t) {
      t.ballot(true);
      if (t.atomic_add(p, 1) == 200) t.shuffle(1, 0, 12);
      t.ballot(true);
    });
  };
  set_seed(31);
  order_of(2, 64);
  order_of(1, 96);
  const std::string message = failing();
  const auto at = message.find("NZ_EMU_SEED=");
  ASSERT_NE(at, std::string::npos) << message;
  pin_seed(std::strtoull(message.c_str() + at + 12, nullptr, 10));
  EXPECT_EQ(failing(), message);
  order_of(3, 32);
  EXPECT_EQ(failing(), message);
  set_seed(32);
  EXPECT_NE(failing(), message);
}

TEST(OrderDeathTest, TheEnvironmentPinsTheSeed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, from the beginning
  setenv("NZ_EMU_SEED", "77", 1);
  EXPECT_EXIT(
      {
        order_of(1, 32);
        const auto pinned = order_of(3, 128);
        const bool stays = order_of(3, 128) == pinned;
        set_seed(77);
        std::_Exit(stays && order_of(3, 128) == pinned ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  unsetenv("NZ_EMU_SEED");
}

TEST(Order, EveryThreadRunsOnceInManyOrders) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t s = 1; s <= 16; ++s) {
    set_seed(s);
    auto order = order_of(2, 64);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    for (int i = 0; i < 128; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  }
  EXPECT_GE(orders.size(), 15u);
}

// Runs the kernel with seeds 1 to 16, each time on a zero, and returns what it left there.
template <class F>
std::set<int> outcomes(int blocks, int threads, F body) {
  std::set<int> all;
  for (std::uint64_t s = 1; s <= 16; ++s) {
    set_seed(s);
    int value = 0;
    run(blocks, threads, 0, [p = &value, body](Thread& t) { body(t, p); });
    all.insert(value);
  }
  return all;
}

TEST(Order, RelyingOnWarpsIsExposed) {
  EXPECT_EQ(outcomes(1, 64, [](Thread& t, int* p) { *p = t.warp() + 1; }), (std::set{1, 2}));
}

// Half a step of another warp can be seen, where its lanes meet.
TEST(Order, RelyingOnWholeStepsOfWarpsIsExposed) {
  EXPECT_EQ(outcomes(1, 64,
                     [](Thread& t, int* p) {
                       for (int step = 0; step < 4; ++step) {
                         if (t.index() == 0 && *p < 4) ++*p;
                         t.ballot(true);
                       }
                       if (t.index() == 32 && *p > 0 && *p < 4) *p = 5;
                     }),
            (std::set{4, 5}));
}

TEST(Order, RelyingOnLanesIsExposed) {
  EXPECT_GE(outcomes(1, 32, [](Thread& t, int* p) { *p = t.lane(); }).size(), 8u);
}

TEST(Order, RelyingOnBlocksIsExposed) {
  EXPECT_EQ(outcomes(2, 32, [](Thread& t, int* p) { *p = t.block() + 1; }), (std::set{1, 2}));
}

TEST(Order, WarpsTakeTurnsAnewAfterABarrier) {
  EXPECT_EQ(outcomes(1, 64,
                     [](Thread& t, int* p) {
                       if (t.lane() == 0 && t.warp() == 0) *p = 1;
                       t.sync();
                       if (t.lane() == 0) *p = *p * 2 + t.warp();
                     }),
            (std::set{2 * 2 + 1, (2 + 1) * 2}));
}

// Sums of the blocks before, in the order of tickets: each waits for the one before it.
TEST(Order, BlocksWaitForThoseThatBeganBefore) {
  for (const int os_threads : {1, 2, 4}) {
    const ThreadScope some(os_threads);
    constexpr int blocks = 200;
    std::vector<int> sums(blocks, -1);
    int tickets = 0;
    run(blocks, 64, 4, [s = sums.data(), n = &tickets](Thread& t) {
      auto mine = t.shared<int>(1);
      if (t.index() == 0) mine[0] = t.atomic_add(n, 1);
      t.sync();
      const int ticket = mine[0];
      if (t.index() != 0) return;
      int before = 0;
      if (ticket > 0)
        while ((before = t.load_coherent(s + ticket - 1)) < 0) t.pause();
      t.fence();
      t.atomic_add(s + ticket, before + ticket + 1);
    });
    for (int i = 0; i < blocks; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], i * (i + 1) / 2);
  }
}

TEST(Order, ThreadsOfABlockWaitForEachOther) {
  int flag = 0;
  run(1, 64, 0, [p = &flag](Thread& t) {
    if (t.index() == 40) t.atomic_add(p, 1);
    while (t.load_coherent(p) == 0) t.pause();
    t.sync();
  });
  EXPECT_EQ(flag, 1);
}

TEST(Order, WaitingForWhatNeverComesIsAFault) {
  const ThreadScope two(2);
  int flag = 0;
  expect_fault(fault(8, 256, 0,
                     [p = &flag](Thread& t) {
                       while (t.lane() == 0 && t.load_coherent(p) == 0) t.pause();
                       t.sync();
                     }),
               "waits with pause() at order_test.cpp:");
}

}  // namespace
}  // namespace nz::test
