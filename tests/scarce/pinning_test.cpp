#include <sched.h>

#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/threads.hpp>

#include "base/parallel.hpp"
#include "scarce/limited_threads.hpp"

// Threads that cannot be had cannot be bound, and those that were bound on the way are set free.
namespace nz::test {
namespace {

std::vector<int> allowed_here() {
  cpu_set_t set;
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

TEST(ScarceThreads, PinningGivesUpAsAWhole) {
  const std::vector<int> before = allowed_here();
  if (before.size() < 2) GTEST_SKIP() << "one processor";
#ifdef _OPENMP
  if (omp_get_proc_bind() != omp_proc_bind_false) GTEST_SKIP() << "OpenMP places the threads";
#endif
  std::thread([&] {
    const ThreadScope scope(2);
    {
      const ThreadLimit limit(0);
      EXPECT_FALSE(pin_threads());
      EXPECT_EQ(team_pins(), nullptr);
      EXPECT_EQ(allowed_here(), before) << "the caller had been bound";
    }
  }).join();
  // A host thread that may have its second thread is not refused.
  std::thread([&] {
    const ThreadScope scope(2);
    EXPECT_TRUE(pin_threads());
    EXPECT_EQ(allowed_here().size(), 1u);
  }).join();
}

}  // namespace
}  // namespace nz::test
