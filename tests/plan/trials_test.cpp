#include "plan/trials.hpp"

#include <gtest/gtest.h>
#include <nonzero/registry.hpp>

namespace nz {
namespace {

// Plain CSR is predicted to take 1 s a product, `others` so much each, all with a setup of 10 s.
Selection selection(std::vector<double> others) {
  Selection s;
  for (const double seconds : others)
    s.candidates.push_back(
        {.kernel = &find_kernel("cpu/sell/gather"), .n_seconds = seconds, .setup_seconds = 10});
  s.candidates.push_back(
      {.kernel = &find_kernel("cpu/csr/balanced"), .n_seconds = 1, .setup_seconds = 0.1});
  s.usable = s.candidates.size();
  return s;
}

constexpr Trials trials{.most = 9,
                        .hopeless = 2,
                        .multiplies = 30,
                        .gain = 0.95,
                        .products = 3,
                        .seconds = 0,
                        .lost = 1.2,
                        .slack = 1.5};

Candidate measured(double seconds) { return {.measured_seconds = seconds}; }

TEST(Trials, PlainCsrComesFirst) {
  const Selection s = selection({0.5, 0.6, 0.7});
  const Constraints w{.use = Op::none};
  EXPECT_EQ(Allowance(trials, s, w).order(), (std::vector<std::size_t>{3, 0, 1, 2}));
  EXPECT_EQ(Allowance(thorough_trials, s, w).order(), (std::vector<std::size_t>{3, 0, 1, 2}));
}

// A rehearsal has x near: where x is far away and plain CSR takes longer on the whole matrix, so do
// all but those that bring x near by blocks. Where x is near anyway, all do.
TEST(Trials, BlocksAreNotSlowedByGathers) {
  Selection s = selection({0.7, 0.9});
  s.candidates[1].kernel = &find_kernel("cpu/csb/balanced");
  s.features.value_bytes = sizeof(double);
  const Constraints w{.use = Op::none};
  const struct {
    bool rehearsed;
    index_t cols;
    double lines;
    bool spared;
  } cases[] = {{false, 10'000'000, 0.9, false},
               {true, 10'000'000, 0.9, true},
               {true, 10'000'000, 0.05, false},
               {true, 10'000, 0.9, false}};
  for (const auto& c : cases) {
    s.features.cols = c.cols;
    s.features.lines = c.lines;
    Trials these = trials;
    these.rehearsed = c.rehearsed;
    Allowance a(these, s, w);
    a.spend(2, 0.1, measured(2));
    const auto expected =
        c.spared ? std::vector<std::size_t>{2, 1, 0} : std::vector<std::size_t>{2, 0, 1};
    EXPECT_EQ(a.order(), expected) << c.rehearsed << ' ' << c.cols << ' ' << c.lines;
  }
}

// Where plain CSR takes many times as long as rehearsed, it is not for x alone.
TEST(Trials, ABusyProcessorSlowsBlocksToo) {
  Selection s = selection({0.7, 0.9});
  s.candidates[1].kernel = &find_kernel("cpu/csb/balanced");
  s.features.value_bytes = sizeof(double);
  s.features.cols = 10'000'000;
  s.features.lines = 0.9;
  const Constraints w{.use = Op::none};
  Trials these = trials;
  these.rehearsed = true;
  Allowance a(these, s, w);
  a.spend(2, 0.1, measured(4));  // 2.8 of slices, 2.4 of blocks
  EXPECT_EQ(a.order(), (std::vector<std::size_t>{2, 1, 0}));
  EXPECT_TRUE(a.admits(0));  // and not hopeless beside 0.9
}

TEST(Trials, TimeThatIsSpentIsGone) {
  const Selection s = selection({0.5, 0.6, 0.7, 0.8});
  const Constraints w{.use = Op::none};
  Allowance a(trials, s, w);
  a.spend(4, 0.1, measured(2));  // twice what was predicted: so is all else
  EXPECT_TRUE(a.admits(0));
  a.spend(0, 30, measured(1));
  EXPECT_TRUE(a.admits(1));  // 30 and 20 of 60
  a.spend(1, 15, measured(1));
  EXPECT_FALSE(a.admits(2));  // 45 and 20 of 60
  EXPECT_FALSE(a.admits(3));
}

TEST(Trials, TheBestPredictedMayTakeLonger) {
  Selection s = selection({0.5, 0.6});
  s.candidates[0].setup_seconds = s.candidates[1].setup_seconds = 100;
  const Constraints w{.use = Op::none};
  Allowance a(trials, s, w);
  a.spend(2, 0.1, measured(1));
  EXPECT_TRUE(a.admits(0));
  EXPECT_FALSE(a.admits(1));
}

// What declines the matrix when it sees all of it: the next may be tried in its place.
TEST(Trials, TheRefusedMakeRoom) {
  Selection s = selection({0.2, 0.6, 0.9});
  s.candidates[1].setup_seconds = 40;
  const Constraints w{.use = Op::none};
  Allowance a(trials, s, w);
  a.spend(3, 0.1, measured(1));
  EXPECT_FALSE(a.admits(1));  // three times the best
  a.refuse(0, 5);
  EXPECT_TRUE(a.admits(1));
  a.spend(1, 20, measured(1));
  EXPECT_FALSE(a.admits(2));  // 25 and 10 of 30
}

TEST(Trials, TheHopelessAreNotTried) {
  const Selection s = selection({0.5, 0.9, 1.1});
  const Constraints w{.use = Op::none};
  Allowance a(trials, s, w);
  a.spend(3, 0.1, measured(1));
  EXPECT_TRUE(a.admits(1));
  EXPECT_FALSE(a.admits(2));
}

TEST(Trials, OneThreadIsAlwaysTried) {
  Selection s = selection({0.5});
  s.candidates.push_back({.kernel = &find_kernel("cpu/csr/balanced"),
                          .parameters = {{"grain", 1 << 30}},
                          .n_seconds = 9});
  s.usable = 3;
  const Constraints w{.use = Op::none};
  Allowance a(trials, s, w);
  a.spend(1, 0.1, measured(1));
  EXPECT_TRUE(a.admits(2));
  a.spend(2, 1, measured(9));  // which is not taken for the measure of the others
  EXPECT_TRUE(a.admits(0));
}

TEST(Trials, WhatIsThereStaysUnlessMuchIsGained) {
  const Selection s = selection({0.5});
  const Constraints w{.use = Op::none};
  const Allowance a(trials, s, w);
  EXPECT_FALSE(a.beats(measured(0.96), measured(1)));
  EXPECT_TRUE(a.beats(measured(0.94), measured(1)));
}

}  // namespace
}  // namespace nz
