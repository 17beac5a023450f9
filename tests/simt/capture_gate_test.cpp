#include "simt/capture_gate.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace nz::test {
namespace {

using simt::CaptureGate;
using simt::CaptureScope;

TEST(CaptureGate, RefusesAWaitWhileACaptureIsUnderWay) {
  CaptureGate gate;
  int waits = 0;
  {
    const CaptureScope one(gate), another(gate);
    EXPECT_FALSE(gate.unless_capturing([&] { ++waits; }));
  }
  EXPECT_EQ(waits, 0);
  EXPECT_TRUE(gate.unless_capturing([&] { ++waits; }));
  EXPECT_EQ(waits, 1);
}

TEST(CaptureGate, BeginsACaptureOnlyWhenTheWaitsAreOver) {
  CaptureGate gate;
  std::atomic<bool> over{false};
  std::future<bool> capture;
  ASSERT_TRUE(gate.unless_capturing([&] {
    capture = std::async(std::launch::async, [&] {
      const CaptureScope scope(gate);
      return over.load();
    });
    // Long enough for one that does not wait to get there.
    EXPECT_EQ(capture.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    over = true;
  }));
  EXPECT_TRUE(capture.get());
}

TEST(CaptureGate, EndsAWaitThatThrows) {
  CaptureGate gate;
  EXPECT_THROW(gate.unless_capturing([] { throw 1; }), int);
  const CaptureScope scope(gate);  // would wait for ever
}

TEST(CaptureGate, NeverLetsBothIn) {
  CaptureGate gate;
  std::atomic<int> captures{0}, waits{0}, met{0};
  const auto work = [&](bool captures_too) {
    for (int i = 0; i < 2000; ++i) {
      if (captures_too && i % 3 == 0) {
        const CaptureScope scope(gate);
        ++captures;
        met += waits;
        --captures;
      } else {
        gate.unless_capturing([&] {
          ++waits;
          met += captures;
          --waits;
        });
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back(work, t % 2 == 0);
  }
  EXPECT_EQ(met, 0);
}

}  // namespace
}  // namespace nz::test
