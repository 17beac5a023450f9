#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "lab/bench/compare.hpp"

namespace nz::test {
namespace {

using lab::Record;
using lab::Result;

Result timed(const char* matrix, const char* kernel, double seconds, const char* op = "N",
             int threads = 1) {
  Result r;
  r.matrix = matrix;
  r.kernel = kernel;
  r.op = op;
  r.type = "f64";
  r.threads = threads;
  r.median_s = seconds;
  return r;
}

TEST(Compare, RecordsByCase) {
  Record a, b;
  a.results = {timed("m", "k", 2), timed("n", "k", 3), timed("m", "gone", 1),
               timed("m", "k", 5, "T")};
  b.results = {timed("m", "k", 1), timed("n", "k", 4), timed("m", "new", 1),
               timed("m", "k", 5, "T", 2)};
  const auto both = lab::compare_records(a, b, {});
  ASSERT_EQ(both.pairs.size(), 2u);
  EXPECT_EQ(both.pairs[0].ratio(), 2);
  EXPECT_EQ(both.pairs[1].ratio(), 0.75);
  EXPECT_EQ(both.only_first.size(), 2u);
  EXPECT_EQ(both.only_second.size(), 2u);
  const auto s = lab::summarise(both.pairs);
  EXPECT_EQ(s.cases, 2u);
  EXPECT_NEAR(s.geomean, std::sqrt(1.5), 1e-12);
  EXPECT_EQ(s.worst.ours->matrix, "n");
  EXPECT_EQ(s.lost, 1u);
  EXPECT_EQ(lab::compare_records(a, b, {.matrices = {"m"}}).pairs.size(), 1u);
  EXPECT_EQ(lab::compare_records(a, b, {.kernels = {"g*"}}).only_first.size(), 1u);
}

// Records keep the ids of their time.
TEST(Compare, OldIdsAreThoseOfToday) {
  Record a, b;
  a.results = {timed("m", "gpu/compact/slabs", 2)};
  b.results = {timed("m", "gpu/slabs/balanced", 1)};
  a.results[0] = lab::result_from_json(lab::to_json(a.results[0]));
  for (const char* pattern : {"gpu/compact/slabs", "gpu/slabs/*"}) {
    const auto both = lab::compare_records(a, b, {.kernels = {pattern}});
    ASSERT_EQ(both.pairs.size(), 1u) << pattern;
    EXPECT_EQ(both.pairs[0].ratio(), 2);
  }
}

TEST(Compare, WhatHasNoTimeIsNotCompared) {
  Record a, b;
  a.results = {timed("m", "k", 2)};
  b.results = {timed("m", "k", 2)};
  b.results[0].status = lab::Status::wrong;
  const auto both = lab::compare_records(a, b, {});
  EXPECT_TRUE(both.pairs.empty());
  EXPECT_EQ(both.only_first.size(), 1u);
  EXPECT_EQ(lab::summarise({}).cases, 0u);
}

TEST(Compare, FivePercentIsTheLine) {
  const Result fast = timed("m", "k", 1), slow = timed("m", "k", 1.04),
               slower = timed("m", "k", 1.06);
  EXPECT_FALSE((lab::Pair{&slow, &fast}.lost()));
  EXPECT_TRUE((lab::Pair{&slower, &fast}.lost()));
}

TEST(Compare, OursAgainstThePeersOfOneRecord) {
  Record r;
  r.results = {timed("m", "cpu/a", 4, "N", 1),
               timed("m", "cpu/a", 2, "N", 4),
               timed("m", "cpu/b", 1, "N", 4),
               timed("m", "peer/x/csr", 3, "N", 4),
               timed("m", "peer/x/csr", 6, "N", 1),
               timed("m", "peer/y/csr", 1.5, "N", 1),
               timed("n", "cpu/a", 1),
               timed("m", "other/z", 0.1)};
  const lab::Sides sides{{"cpu/*"}, {"peer/*"}};
  auto all = lab::compare_within(r, sides, {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].ours->kernel, "cpu/b");
  ASSERT_EQ(all[0].peers.size(), 2u);
  EXPECT_EQ(*all[0].peers[0]->median_s, 3) << "on the threads that suit it best";
  EXPECT_EQ(all[0].best_peer()->kernel, "peer/y/csr");
  EXPECT_EQ(all[1].best_peer(), nullptr);
  // What the plan chooses counts, unless the fastest is asked for.
  r.results[1].planned = true;
  all = lab::compare_within(r, sides, {});
  EXPECT_EQ(all[0].ours, &r.results[1]);
  all = lab::compare_within(r, {{"cpu/*"}, {"peer/*"}, true}, {});
  EXPECT_EQ(all[0].ours->kernel, "cpu/b");
  // A peer is never ours, whatever the patterns say.
  all = lab::compare_within(r, {{"*"}, {"cpu/b"}}, {});
  EXPECT_EQ(all[0].peers.size(), 1u);
  EXPECT_NE(all[0].ours->kernel, "cpu/b");
}

}  // namespace
}  // namespace nz::test
