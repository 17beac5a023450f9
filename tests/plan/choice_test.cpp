#include <nonzero/plan.hpp>

#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "plan/models.hpp"
#include "plan/selection.hpp"
#include "plan/tuning/h200.hpp"
#include "plan/tuning/tuning.hpp"

namespace nz {
namespace {

// A large matrix that was never made: what the models see of it.
Features large() {
  return {.rows = 4'000'000,
          .cols = 4'000'000,
          .nnz = 100'000'000,
          .value_bytes = 8,
          .offset_bytes = 4,
          .entries = 100'000,
          .row_length = 25,
          .compact_bytes = 10.2,
          .narrow_value_bytes = 8,
          .lines = 0.1,
          .overlap = 1};
}

std::vector<Candidate> some() {
  const Kernel *csr = &find_kernel("cpu/csr/balanced"),
               *compact = &find_kernel("cpu/compact/balanced");
  return {
      {.kernel = csr, .n_seconds = 10, .t_seconds = 40, .setup_seconds = 1, .bytes = 1000},
      {.kernel = compact, .n_seconds = 8, .t_seconds = 50, .setup_seconds = 100, .bytes = 700},
      {.kernel = compact, .n_seconds = 5, .t_seconds = 20, .setup_seconds = 6000, .bytes = 400}};
}

TEST(Choice, TheModelsFollowTheBytes) {
  Features f = large();
  const auto of = [](const std::vector<Candidate>& all, std::string_view id) -> Candidate {
    for (const Candidate& c : all)
      if (c.kernel->id() == id) return c;
    ADD_FAILURE() << id;
    return all.front();
  };
  const auto cpu = cpu_candidates(f, 4, CpuTuning{});
  EXPECT_LT(of(cpu, "cpu/compact/balanced").n_seconds, of(cpu, "cpu/csr/balanced").n_seconds);
  EXPECT_LT(of(cpu, "cpu/csr/balanced").n_seconds, of(cpu, "cpu/csr/balanced").t_seconds);
  EXPECT_LT(of(cpu_candidates(f, 8, CpuTuning{}), "cpu/csr/balanced").n_seconds,
            of(cpu, "cpu/csr/balanced").n_seconds);
  if (match_kernels("gpu/csr/balanced").empty()) return;
  const DeviceInfo device{.cache_bytes = 60 << 20};
  const double near = of(gpu_candidates(f, device, h200_tuning), "gpu/csr/balanced").n_seconds;
  f.lines = 0.8;
  EXPECT_GT(of(gpu_candidates(f, device, h200_tuning), "gpu/csr/balanced").n_seconds, near);
  f = large();
  f.block_rows = f.block_cols = 4;
  const auto blocks = gpu_candidates(f, device, h200_tuning);
  EXPECT_LT(of(blocks, "gpu/bsr/balanced").n_seconds, near);
  EXPECT_EQ(of(blocks, "gpu/bsr/balanced").parameters.at("block_rows"), 4);
}

TEST(Choice, EffortLimitsTheSetup) {
  const auto first = [](Effort effort) {
    return rank({}, some(), {.use = Op::none, .effort = effort}).candidates.front().n_seconds;
  };
  EXPECT_EQ(first(Effort::instant), 10);
  EXPECT_EQ(first(Effort::balanced), 8) << "100 s are 10 multiplies of plain CSR; 6000 s are 600";
  EXPECT_EQ(first(Effort::thorough), 5);
  const Selection s = rank({}, some(), {.use = Op::none});
  EXPECT_EQ(s.candidates[2].why_not, "setup would take 600 multiplies of plain CSR");
  EXPECT_EQ(s.candidates[1].why_not, "predicted to be slower");
  EXPECT_TRUE(s.candidates[0].why_not.empty());
  EXPECT_EQ(s.usable, 3u) << "what takes long is still better than nothing";
}

// Small matrices have nothing that is made within three multiplies: then what is made nearly as
// soon and multiplies faster goes first, within a hundred products.
TEST(Choice, WhereNothingIsInTimeAHundredProductsDecide) {
  const auto first = [](double setup) {
    std::vector<Candidate> all = some();
    all.resize(2);
    all[0].setup_seconds = 300;  // 30 multiplies of plain CSR
    all[1].setup_seconds = setup;
    return rank({}, all, {.use = Op::none, .effort = Effort::instant}).candidates.front().n_seconds;
  };
  EXPECT_EQ(first(499), 8);
  EXPECT_EQ(first(501), 10);
}

TEST(Choice, IsMadeForTheProductsWanted) {
  const auto first = [](Use use) {
    return rank({}, some(), {.use = use}).candidates.front().n_seconds;
  };
  EXPECT_EQ(first(Op::none), 8);
  EXPECT_EQ(first(Op::transpose), 10);
  EXPECT_EQ(first(both_ops), 10) << "10 + 40 is less than 8 + 50";
}

TEST(Choice, TheMemoryLimitTakesCandidatesOut) {
  const Selection s = rank({}, some(), {.effort = Effort::thorough, .memory_limit = 900});
  EXPECT_EQ(s.usable, 2u);
  EXPECT_EQ(s.candidates[2].bytes, 1000);
  EXPECT_EQ(s.candidates[2].why_not, "over the memory limit");
  EXPECT_EQ(rank({}, some(), {.memory_limit = 300}).usable, 0u);
  EXPECT_EQ(rank({}, some(), {.memory_limit = 1}).usable, 0u);
  EXPECT_EQ(rank({}, some(), {.memory_limit = 0}).usable, 3u) << "no limit";
}

TEST(Choice, WorkingFromTheTransposeIsPaidFor) {
  const Features f = large();
  const auto plain = cpu_candidates(f, threads(), cpu_tuning());
  const auto turned = transposed_candidates(f, cpu_device, {});
  const double transposing = cpu_transpose_seconds(f, threads(), cpu_tuning());
  EXPECT_GT(transposing, 0);
  ASSERT_EQ(turned.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(turned[i].kernel, plain[i].kernel);
    EXPECT_TRUE(turned[i].transposed);
    EXPECT_EQ(turned[i].n_seconds, plain[i].t_seconds);
    EXPECT_EQ(turned[i].t_seconds, plain[i].n_seconds);
    EXPECT_DOUBLE_EQ(turned[i].setup_seconds, plain[i].setup_seconds + transposing);
  }
}

TEST(Choice, TheSameBitsAreWorthALittle) {
  if (match_kernels("gpu/csr/balanced").empty()) GTEST_SKIP() << "no GPU kernels";
  const Kernel *csr = &find_kernel("gpu/csr/balanced"), *bsr = &find_kernel("gpu/bsr/balanced");
  const auto first = [&](double other, bool deterministic) {
    std::vector<Candidate> two{{.kernel = csr, .t_seconds = 1},
                               {.kernel = bsr, .t_seconds = other}};
    return rank({.nnz = 1}, two, {.use = Op::transpose, .deterministic = deterministic})
        .candidates.front()
        .kernel->format;
  };
  EXPECT_EQ(first(1.04, false), "bsr") << "no atomics: the same bits for less than 5 %";
  EXPECT_EQ(first(1.06, false), "csr");
  EXPECT_EQ(first(9, true), "bsr");
}

TEST(Choice, EffortsHaveNames) {
  for (const Effort e : {Effort::instant, Effort::balanced, Effort::thorough})
    EXPECT_EQ(effort_named(name(e)), e);
  try {
    effort_named("lazy");
    FAIL();
  } catch (const InvalidArgument& e) {
    EXPECT_STREQ(e.what(), "no effort 'lazy'; there are instant, balanced and thorough");
  }
}

}  // namespace
}  // namespace nz
