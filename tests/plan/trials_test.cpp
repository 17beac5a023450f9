#include "plan/trials.hpp"

#include <gtest/gtest.h>

#include <vector>

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

// A selection whose candidates take what is written here, in seconds of a clock that is made up.
struct Stage {
  Selection s;
  std::vector<double> seconds;       // of a product; 0: it cannot be had
  std::vector<std::size_t> tried{};  // in this order
  std::vector<std::size_t> kept{};

  std::size_t fastest_by(const Trials& t, double setup) {
    const Constraints w{.use = Op::none};
    Allowance allowance(t, s, w);
    return fastest(
        s, allowance,
        [&](std::size_t i, const Candidate*) {
          tried.push_back(i);
          s.candidates[i].measured_seconds = seconds[i];
          return Attempt{seconds[i] > 0, setup + 4 * seconds[i]};
        },
        [&](std::size_t i) { kept.push_back(i); });
  }
};
using Indices = std::vector<std::size_t>;

constexpr Trials doubting = [] {
  Trials t = trials;
  t.multiplies = 25;
  t.doubt = 1.2;
  t.promised_multiplies = 60;
  return t;
}();

// The best predicted takes as long as plain CSR, and with it the time is spent: what is still
// predicted to be much faster is tried nevertheless.
TEST(Trials, WhatPromisesMoreThanWasFoundIsTried) {
  Stage stage{.s = selection({0.6, 0.61}), .seconds = {1.1, 0.55, 1}};
  EXPECT_EQ(stage.fastest_by(doubting, 12), 1u);
  EXPECT_EQ(stage.tried, (Indices{2, 0, 1}));
  EXPECT_EQ(stage.kept, (Indices{2, 1}));
}

TEST(Trials, PromisesAreNotFollowedForever) {
  // What was found is as good as what is promised, but for what predictions are wrong by.
  Stage found{.s = selection({0.6, 0.61}), .seconds = {0.7, 0.55, 1}};
  EXPECT_EQ(found.fastest_by(doubting, 13), 0u);
  EXPECT_EQ(found.tried, (Indices{2, 0}));
  // Five that are not what they promise, each for about 14 of 60 multiplies: after three, 44 are
  // gone, and the next setup is predicted to take 10.
  Stage many{.s = selection({0.6, 0.61, 0.62, 0.63, 0.64, 0.65}), .seconds = {1, 1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(many.fastest_by(doubting, 10), 6u);
  EXPECT_EQ(many.tried, (Indices{6, 0, 1, 2, 3}));
  // A setup that 500 products would not repay.
  Stage dear{.s = selection({0.6, 0.75}), .seconds = {1.1, 0.55, 1}};
  dear.s.candidates[1].setup_seconds = 47;
  EXPECT_EQ(dear.fastest_by(doubting, 2), 2u);
  EXPECT_EQ(dear.tried, (Indices{2, 0}));
}

// One that declines the matrix, or goes over the memory limit once it is made, is neither taken
// nor a measure by which others are hopeless, and not tried twice.
TEST(Trials, WhatCannotBeHadSetsNoMeasure) {
  Stage stage{.s = selection({0.2, 0.6, 0.7}), .seconds = {0, 0.6, 0.5, 1}};
  EXPECT_EQ(stage.fastest_by(trials, 1), 2u);
  EXPECT_EQ(stage.tried, (Indices{3, 0, 1, 2}));
  EXPECT_EQ(stage.kept, (Indices{3, 1, 2}));
}

// Without plain CSR, its prediction tells what others may spend.
TEST(Trials, PlainCsrMayNotBeHad) {
  Stage stage{.s = selection({0.6, 0.7, 0.8}), .seconds = {0.6, 0.5, 0.4, 0}};
  EXPECT_EQ(stage.fastest_by(trials, 8), 1u);  // 10.4 and 10 of 30, then 20.4 and 10
  EXPECT_EQ(stage.tried, (Indices{3, 0, 1}));
}

TEST(Trials, NoneMayBeHad) {
  Stage stage{.s = selection({0.6}), .seconds = {0, 0}};
  EXPECT_EQ(stage.fastest_by(trials, 1), stage.s.usable);
  EXPECT_EQ(stage.tried, (Indices{1, 0}));
  EXPECT_TRUE(stage.kept.empty());
}

// A time is doubted that makes one lose which was predicted to win.
TEST(Trials, SurprisesAreDoubted) {
  const Selection s = selection({0.5, 0.9, 1.1});
  const Constraints w{.use = Op::none};
  Allowance a(trials, s, w);
  EXPECT_EQ(a.doubtful(3), 0);  // nothing to lose against
  a.spend(3, 0.1, measured(1));
  EXPECT_DOUBLE_EQ(a.doubtful(0), 0.95);  // 1.25 times 0.5 would still win
  EXPECT_DOUBLE_EQ(a.doubtful(1), 1.25 * 0.9);
  EXPECT_EQ(a.doubtful(2), 0);
  EXPECT_EQ(Allowance(thorough_trials, s, w).doubtful(0), 0);
}

}  // namespace
}  // namespace nz
