#include <chrono>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "lab/bench/measure.hpp"

namespace nz::test {
namespace {

using lab::Timing;

TEST(Measure, SpreadIsTheInterquartileRange) {
  EXPECT_DOUBLE_EQ((Timing{{5, 1, 2, 3, 4}}.spread()), (4.0 - 2.0) / 3.0);
  EXPECT_EQ((Timing{{7}}.spread()), 0);
  EXPECT_EQ((Timing{{2, 2, 2}}.spread()), 0);
}

TEST(Measure, NoiseIsTheIntervalOfTheMedian) {
  // Below six samples: all of them.
  EXPECT_DOUBLE_EQ((Timing{{9, 10, 12}}.noise()), 1.5 / 10);
  // 20 samples: the 6th to the 15th lie around the median with 95.9 %.
  Timing t;
  for (int i = 1; i <= 20; ++i) t.samples.push_back(i);
  EXPECT_DOUBLE_EQ(t.noise(), (15 - 6) / 2.0 / 10.5);
  // One wild sample among many does not count.
  t.samples.assign(50, 1.0);
  t.samples.push_back(1000);
  EXPECT_EQ(t.noise(), 0);
  EXPECT_EQ((Timing{{0, 0, 0}}.noise()), 0);
}

TEST(Measure, StopsWhenTheNoiseIsLowEnough) {
  const auto nap = [] { std::this_thread::sleep_for(std::chrono::microseconds(200)); };
  const Timing calm =
      lab::measure(nap, {.warm_up_seconds = 0, .seconds = 60, .max_samples = 400, .noise = 1e9});
  EXPECT_EQ(calm.samples.size(), 7u);
  const Timing strict =
      lab::measure(nap, {.warm_up_seconds = 0, .seconds = 60, .max_samples = 30, .noise = 1e-12});
  EXPECT_EQ(strict.samples.size(), 30u);
}

TEST(Measure, ShortRunsAreTimedTogether) {
  int calls = 0;
  const Timing t =
      lab::measure([&] { ++calls; },
                   {.warm_up_seconds = 0, .seconds = 0, .min_samples = 2, .sample_seconds = 1e-4});
  EXPECT_GT(t.runs_per_sample, 1);
  EXPECT_EQ(calls, 1 + 2 * t.runs_per_sample);
  EXPECT_LT(t.median(), 1e-5) << "of one run, not of the sample";
}

}  // namespace
}  // namespace nz::test
