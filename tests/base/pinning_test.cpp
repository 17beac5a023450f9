#include <nonzero/threads.hpp>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include "base/parallel.hpp"
#include "base/processors.hpp"

namespace nz {
namespace {

std::vector<int> affinity() {
  cpu_set_t set;
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

// Where each thread of a team may run.
std::vector<std::vector<int>> affinities(int team) {
  std::vector<std::vector<int>> all(static_cast<std::size_t>(team));
  parallel(team, [&](int thread, int count) {
    EXPECT_EQ(count, team);
    all[static_cast<std::size_t>(thread)] = affinity();
  });
  return all;
}

void expect_bound(const std::vector<std::vector<int>>& all, std::size_t bound,
                  const std::vector<int>& allowed) {
  std::set<int> cpus;
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (t < bound) {
      ASSERT_EQ(all[t].size(), 1u) << "thread " << t;
      EXPECT_TRUE(std::binary_search(allowed.begin(), allowed.end(), all[t][0]));
      EXPECT_TRUE(cpus.insert(all[t][0]).second) << "twice: " << all[t][0];
    } else {
      EXPECT_EQ(all[t], allowed) << "thread " << t << " is beyond those bound";
    }
  }
}

// A pinning belongs to the thread that asks for it, and ends with it: the other tests stay free.
template <class Body>
void on_a_thread(Body&& body) {
  std::thread(body).join();
}

class Pinning : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cpus < 2) GTEST_SKIP() << "one processor";
#ifdef _OPENMP
    if (omp_get_proc_bind() != omp_proc_bind_false) GTEST_SKIP() << "OpenMP places the threads";
#endif
  }
  const std::vector<int> allowed = affinity();
  const int cpus = static_cast<int>(allowed.size());
  const int team = std::min(cpus, 4);
};

TEST_F(Pinning, GivesEachThreadAProcessorOfItsOwn) {
  on_a_thread([&] {
    const ThreadScope scope(team);
    ASSERT_TRUE(pin_threads());
    EXPECT_EQ(affinity().size(), 1u) << "the caller is thread 0";
    for (int again = 0; again < 3; ++again)
      expect_bound(affinities(team), static_cast<std::size_t>(team), allowed);
  });
  EXPECT_EQ(affinity(), allowed) << "nobody else is bound";
  for (const auto& where : affinities(team)) EXPECT_EQ(where, allowed);
}

TEST_F(Pinning, HoldsWhenTheTeamChangesItsSize) {
  on_a_thread([&] {
    const ThreadScope scope(team);
    ASSERT_TRUE(pin_threads());
    // A runtime may end the threads that a smaller team leaves out.
    for (const int size : {team + 3, 2, team, 2, team + 1})
      expect_bound(affinities(size), static_cast<std::size_t>(std::min(size, team)), allowed);
  });
}

TEST_F(Pinning, MayBeAskedForAgain) {
  on_a_thread([&] {
    for (const int size : {1, team, 2}) {
      const ThreadScope scope(size);
      ASSERT_TRUE(pin_threads()) << size << ": what was allowed first is allowed still";
      EXPECT_EQ(affinity().size(), 1u);
      if (size > 1) expect_bound(affinities(size), static_cast<std::size_t>(size), allowed);
    }
  });
}

TEST_F(Pinning, RefusesMoreThreadsThanProcessors) {
  on_a_thread([&] {
    const ThreadScope scope(cpus + 1);
    EXPECT_FALSE(pin_threads());
    for (const auto& where : affinities(cpus + 1)) EXPECT_EQ(where, allowed);
  });
}

TEST_F(Pinning, StaysWithinWhatTheCallerMayUse) {
  on_a_thread([&] {
    cpu_set_t last;
    CPU_ZERO(&last);
    CPU_SET(static_cast<std::size_t>(allowed.back()), &last);
    ASSERT_EQ(sched_setaffinity(0, sizeof last, &last), 0);
    {
      const ThreadScope scope(2);
      EXPECT_FALSE(pin_threads());
    }
    const ThreadScope scope(1);
    EXPECT_TRUE(pin_threads());
    EXPECT_EQ(affinity(), std::vector{allowed.back()});
  });
}

// Two nodes of two cores with two hardware threads, numbered as Linux does: cores first.
const std::vector<Processor> two_nodes{{0, 0, 0}, {4, 0, 0}, {1, 0, 1}, {5, 0, 1},
                                       {2, 1, 2}, {6, 1, 2}, {3, 1, 3}, {7, 1, 3}};

TEST(Placing, TakesCoresFirstAndEachNodeItsShare) {
  using Cpus = std::vector<int>;
  EXPECT_EQ(place_threads(two_nodes, 1), (Cpus{0}));
  EXPECT_EQ(place_threads(two_nodes, 2), (Cpus{0, 2}));
  EXPECT_EQ(place_threads(two_nodes, 3), (Cpus{0, 1, 2}));
  EXPECT_EQ(place_threads(two_nodes, 4), (Cpus{0, 1, 2, 3}));
  EXPECT_EQ(place_threads(two_nodes, 6), (Cpus{0, 4, 1, 2, 6, 3}));
  EXPECT_EQ(place_threads(two_nodes, 8), (Cpus{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(place_threads(two_nodes, 9), Cpus{});
  EXPECT_EQ(place_threads({}, 1), Cpus{});
}

TEST(Placing, ASmallerNodeGetsASmallerShare) {
  using Cpus = std::vector<int>;
  // Three cores may be used on one node, one on the other; the order given does not matter.
  const std::vector<Processor> uneven{{9, 1, 7}, {2, 0, 2}, {0, 0, 0}, {1, 0, 1}};
  EXPECT_EQ(place_threads(uneven, 2), (Cpus{0, 1}));
  EXPECT_EQ(place_threads(uneven, 3), (Cpus{0, 1, 2}));
  EXPECT_EQ(place_threads(uneven, 4), (Cpus{0, 1, 2, 9}));
}

TEST(Placing, KnowsTheProcessorsOfThisMachine) {
  const std::vector<int> allowed = affinity();
  std::vector<int> known;
  for (const Processor& p : processors(allowed)) known.push_back(p.cpu);
  std::sort(known.begin(), known.end());
  EXPECT_EQ(known, allowed);
  EXPECT_EQ(processors({allowed.front()}).size(), 1u);
  EXPECT_TRUE(processors({}).empty());
}

}  // namespace
}  // namespace nz
