#include <cmath>

#include <gtest/gtest.h>

#include "lab/bench/case_result.hpp"
#include "lab/bench/launch_sampling.hpp"

namespace nz::test {
namespace {

// A GPU that takes exactly as long as it says: a product is slower in a cold cache, and what one
// sample begins and ends with costs something too.
struct FakeWatch : lab::LaunchWatch {
  double hot = 1e-4, cold = 3e-4, flush = 5e-5, edges = 4e-6;
  double saved = 0;  // by running products and flushes in turns, once a sample
  bool can_replay = true;
  int products_asked = 0, flushed = 0, replays = 0, samples = 0;

  double first() override {
    ++products_asked;
    return cold + edges;
  }
  double products(int n) override {
    ++samples;
    products_asked += n;
    return n * hot + edges;
  }
  double flushes(int n) override {
    flushed += n;
    return n * flush + edges;
  }
  double products_and_flushes(int n) override {
    ++samples;
    return n * (cold + flush) + edges - saved;
  }
  bool replay() override {
    ++replays;
    return can_replay;
  }
};

const lab::Budget budget{.warm_up_seconds = 0.01, .seconds = 1, .max_samples = 200, .noise = 0.02};

TEST(LaunchSampling, ColdIsWhatAProductAddsToAFlush) {
  FakeWatch watch;
  const lab::LaunchTiming t = lab::sample_launches(watch, budget);
  EXPECT_NEAR(t.cold.median(), watch.cold, 1e-12) << "the edges of a sample cancel";
  EXPECT_GE(t.cold.runs_per_sample, 4) << "a sample is long against its edges";
  EXPECT_NEAR(t.hot.median(), watch.hot, 0.01 * watch.hot);
  EXPECT_GE(t.hot.runs_per_sample, 10);
  EXPECT_EQ(t.cold.samples.size(), 7u) << "no noise: enough is soon known";
  EXPECT_EQ(t.hot.samples.size(), 7u);
  EXPECT_FALSE(t.replayed);
  EXPECT_EQ(watch.replays, 0) << "100 us are long enough for launches one by one";
}

TEST(LaunchSampling, ShortProductsComeFromAGraph) {
  FakeWatch watch;
  watch.hot = 4e-6, watch.cold = 7e-6;
  lab::LaunchTiming t = lab::sample_launches(watch, budget);
  EXPECT_TRUE(t.replayed);
  EXPECT_EQ(watch.replays, 1);
  EXPECT_NEAR(t.cold.median(), watch.cold, 1e-12);
  EXPECT_NEAR(t.hot.median(), watch.hot, 0.02 * watch.hot);
  FakeWatch other = watch;
  other.can_replay = false;
  EXPECT_FALSE(lab::sample_launches(other, budget).replayed);
}

// A first product that loads code and finds memory takes longer than a short warm-up lasts.
TEST(LaunchSampling, ASlowFirstProductDoesNotKeepAShortOneFromTheGraph) {
  struct SlowFirst final : FakeWatch {
    double first() override { return FakeWatch::first() + 4e-4; }
  } watch;
  watch.hot = 4e-6, watch.cold = 7e-6;
  lab::Budget brief = budget;
  brief.warm_up_seconds = 2e-4;
  brief.seconds = 2e-3;
  const lab::LaunchTiming t = lab::sample_launches(watch, brief);
  EXPECT_TRUE(t.replayed);
  EXPECT_GT(t.hot.runs_per_sample, 100) << "as many as a sample of its length takes";
  const lab::Budget batches{
      .warm_up_seconds = 0, .seconds = 0, .max_samples = 5, .runs_per_sample = 200};
  EXPECT_TRUE(lab::sample_batches(watch, batches).replayed);
}

// Longer than half of the budget, and not what the next ones take.
TEST(LaunchSampling, ASlowFirstProductIsNotTheTime) {
  struct SlowFirst final : FakeWatch {
    double first() override { return FakeWatch::first() + 4e-3; }
  } watch;
  lab::Budget brief = budget;
  brief.warm_up_seconds = 2e-4;
  brief.seconds = 2e-3;
  const lab::LaunchTiming t = lab::sample_launches(watch, brief);
  EXPECT_NEAR(t.cold.median(), watch.cold, 1e-12);
  EXPECT_NEAR(t.hot.median(), watch.hot, 0.05 * watch.hot);
}

TEST(LaunchSampling, BatchesAreTimedAsAWhole) {
  FakeWatch watch;
  const lab::Budget five{.warm_up_seconds = 0,
                         .seconds = 0,
                         .min_samples = 5,
                         .max_samples = 5,
                         .runs_per_sample = 200};
  lab::LaunchTiming t = lab::sample_batches(watch, five);
  EXPECT_EQ(t.batches.samples.size(), 5u);
  EXPECT_EQ(t.batches.runs_per_sample, 200);
  EXPECT_NEAR(t.batches.median(), watch.hot + watch.edges / 200, 1e-15);
  EXPECT_TRUE(t.hot.samples.empty());
  EXPECT_TRUE(t.cold.samples.empty());
  EXPECT_EQ(watch.flushed, 0);
  EXPECT_EQ(watch.products_asked, 2 + 6 * 200) << "one batch to warm up";
  EXPECT_FALSE(t.replayed);
  watch.cold = 7e-6;
  EXPECT_TRUE(lab::sample_batches(watch, five).replayed);
}

TEST(LaunchSampling, ASlowProductIsTimedOnce) {
  FakeWatch watch;
  watch.hot = watch.cold = 3;
  const lab::LaunchTiming t = lab::sample_launches(watch, budget);
  EXPECT_EQ(watch.products_asked, 1);
  EXPECT_EQ(watch.flushed, 0);
  EXPECT_EQ(t.cold.samples.size(), 1u);
  EXPECT_NEAR(t.cold.median(), 3, 1e-3);
  EXPECT_NEAR(t.hot.median(), 3, 1e-3);
}

TEST(LaunchSampling, TheBudgetCountsSecondsOfTheDevice) {
  struct Noisy final : lab::LaunchWatch {
    double spent = 0;
    int turn = 0;
    double tick(double s) {
      s *= 1 + 0.5 * std::sin(++turn);
      spent += s;
      return s;
    }
    double first() override { return tick(1e-3); }
    double products(int n) override { return tick(n * 1e-3); }
    double flushes(int n) override { return tick(n * 1e-4); }
    double products_and_flushes(int n) override { return tick(n * 1.1e-3); }
    bool replay() override { return true; }
  } watch;
  lab::Budget strict = budget;
  strict.noise = 1e-9;
  strict.seconds = 0.1;
  strict.max_samples = 100000;
  const lab::LaunchTiming t = lab::sample_launches(watch, strict);
  EXPECT_GT(watch.spent, 0.1);
  EXPECT_LT(watch.spent, 0.15);
  EXPECT_GT(t.hot.samples.size(), 20u);
  // A watch that stands still ends as well.
  FakeWatch still;
  still.hot = still.cold = still.flush = still.edges = 0;
  EXPECT_EQ(lab::sample_launches(still, budget).hot.median(), 0);
}

TEST(LaunchSampling, WhatTheFlushHidesGetsMoreRounds) {
  FakeWatch watch;
  watch.hot = watch.cold = 1e-6;
  const int usual = lab::sample_launches(watch, budget).cold.runs_per_sample;
  watch.saved = 2 * usual * watch.cold;
  const lab::LaunchTiming t = lab::sample_launches(watch, budget);
  EXPECT_EQ(t.cold.runs_per_sample, 4 * usual);
  EXPECT_NEAR(t.cold.median(), watch.cold / 2, 1e-12);
  EXPECT_EQ(t.why_not_cold, "");
}

TEST(LaunchSampling, WhatTheFlushHidesAltogetherHasNoColdTime) {
  for (const double cold : {0.0, -1e-6}) {
    FakeWatch watch;
    watch.hot = 1e-6, watch.cold = cold;
    const lab::LaunchTiming t = lab::sample_launches(watch, budget);
    EXPECT_TRUE(t.cold.samples.empty());
    EXPECT_NE(t.why_not_cold, "");
    EXPECT_LT(watch.flushed, 20'000) << "it was not given up";
    // The record keeps the other time, and says why there is but one.
    lab::Result r;
    add(r, {.reason = t.why_not_cold, .timing = t.cold, .hot = t.hot}, nullptr);
    EXPECT_EQ(r.status, lab::Status::ok);
    EXPECT_EQ(r.reason, t.why_not_cold);
    EXPECT_FALSE(r.median_s);
    EXPECT_FALSE(r.timed());
    ASSERT_TRUE(r.hot_median_s);
    EXPECT_GT(*r.hot_median_s, 0);
  }
}

}  // namespace
}  // namespace nz::test
