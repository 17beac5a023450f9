#pragma once
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "scarce/limited_threads.hpp"

// What the door to threads must do where they are scarce, whichever way it was compiled.
namespace nz::test {
namespace {

// Every part once, by a team no larger than can be had.
void check_parts(int parts, int most) {
  std::vector<std::atomic<int>> done(static_cast<std::size_t>(parts));
  parallel_parts(parts, [&](int p) { ++done[static_cast<std::size_t>(p)]; });
  for (const auto& d : done) EXPECT_EQ(d, 1);
  std::atomic<int> ran{0}, largest{0};
  parallel(parts, [&](int thread, int threads) {
    EXPECT_LT(thread, threads);
    largest = threads;
    ++ran;
  });
  EXPECT_EQ(ran, largest);
  EXPECT_LE(largest, most);
}

// In a host thread of its own, for which no threads are ready yet; its team ends after it.
template <class Body>
void in_fresh_thread(Body&& body) {
  const int before = living_threads();
  std::thread(body).join();
  while (living_threads() > before) std::this_thread::yield();
}

void check_door() {
  for (const int more : {0, 1, 3})
    in_fresh_thread([=] {
      const int before = refused_threads();
      const ThreadLimit limit(more);
      check_parts(7, 1 + more);
      check_parts(3, 1 + more);
      check_parts(7, 1 + more);
      EXPECT_GT(refused_threads(), before);
    });
  in_fresh_thread([] {
    check_parts(7, 7);
    check_parts(2, 2);  // the runtime may end the others
    const ThreadLimit limit(1);
    check_parts(7, 7);
  });
  in_fresh_thread([] {
    const ThreadLimit limit(1);
    EXPECT_THROW(parallel(5, [](int, int) { throw std::runtime_error("as ever"); }),
                 std::runtime_error);
  });
  in_fresh_thread([] {  // and as many as wanted once they can be had
    std::atomic<int> ran{0};
    parallel(4, [&](int, int) { ++ran; });
    EXPECT_EQ(ran, 4);
  });
}

}  // namespace
}  // namespace nz::test
