#include "plan/models.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/registry.hpp>

#include "plan/modelled_h200.hpp"
#include "plan/tuning/h200.hpp"

// What the models predict is what they predicted when the results in docs/ were measured: a plan's
// choices change only where somebody means them to.
namespace nz {
namespace {

// Matrices that were never made: what the models see of them.
struct Seen {
  const char* name;
  Features f;
};
std::vector<Seen> all_seen() {
  Features large{.rows = 4'000'000,
                 .cols = 4'000'000,
                 .nnz = 100'000'000,
                 .value_bytes = 8,
                 .offset_bytes = 4,
                 .entries = 100'000,
                 .row_length = 25,
                 .compact_bytes = 10.2,
                 .narrow_value_bytes = 8,
                 .lines = 0.1,
                 .overlap = 1,
                 .longest_row = 40,
                 .hottest = 1e-5};
  Features runs = large;
  runs.rows = runs.cols = 20'000'000;
  runs.value_bytes = 4;
  runs.packed_bytes = 4.5;
  runs.run_share = 0.9;
  runs.narrow_value_bytes = 1;
  runs.compact_bytes = 3.2;
  runs.slice_bytes = 3.1;
  runs.slice_runs = 24;
  runs.slice_picks = 2;
  runs.slice_depth = 3;
  runs.slice_steps = 60;
  runs.row_length = 5;
  runs.longest_row = 5;
  runs.sell_slots = 1.02;
  Features blocks = large;
  blocks.rows = blocks.cols = 333'333;
  blocks.block_rows = blocks.block_cols = 4;
  blocks.block_fill = 1.1;
  blocks.row_length = 300;
  blocks.longest_row = 500;
  Features graph = large;
  graph.lines = 0.9;
  graph.overlap = 3;
  graph.longest_row = 90'000;
  graph.sell_slots = 5;
  graph.hottest = 0.001;
  graph.panel_parts = 0.3;
  graph.tile_entries = 1.5;
  Features scattered = large;
  scattered.lines = 0.95;
  scattered.tile_entries = 60;
  scattered.value_bytes = 4;
  scattered.longest_row = 30;
  scattered.block_rows = 3;
  scattered.block_cols = 6;
  Features wide = large;  // x beyond the cache, and runs of doubles
  wide.rows = wide.cols = 16'000'000;
  wide.lines = 0.9;
  wide.row_length = 6.25;
  wide.longest_row = 30;
  wide.slice_bytes = 9.5;
  wide.slice_runs = 3;
  wide.slice_picks = 20;
  wide.slice_depth = 25;
  wide.slice_steps = 700;
  const Features small{.rows = 20'000,
                       .cols = 20'000,
                       .nnz = 800'000,
                       .value_bytes = 8,
                       .offset_bytes = 4,
                       .row_length = 40};
  Features shorter = small;
  shorter.nnz = 50'000;
  shorter.row_length = 2.5;
  shorter.value_bytes = 4;
  shorter.sell_slots = 1.25;
  shorter.longest_row = 6;
  const Features tall{.rows = 3'000'000,
                      .cols = 2'000,
                      .nnz = 3'000'000'000,
                      .value_bytes = 4,
                      .offset_bytes = 8,
                      .entries = 16'000,
                      .row_length = 1000,
                      .compact_bytes = 6.0,
                      .narrow_value_bytes = 4,
                      .lines = 0.06,
                      .overlap = 8,
                      .longest_row = 1400,
                      .hottest = 0.01};
  return {{"stencil", large},   {"runs", runs},           {"blocks", blocks},
          {"graph", graph},     {"scattered", scattered}, {"small", small},
          {"shorter", shorter}, {"tall", tall},           {"wide", wide}};
}

// Seconds of N, T and setup; of a transpose on the CPU and on the GPU.
struct Predicted {
  std::string_view matrix, kernel;
  double n, t, setup;
};
// clang-format off
constexpr Predicted predicted[] = {
    {"stencil", "cpu/csr/balanced", 0.0225030000555556, 0.0238363333888889, 0.00694444444444444},
    {"stencil", "cpu/compact/balanced", 0.0201974444444444, 0.0215307777777778, 0.104166666666667},
    {"stencil", "cpu/csb/balanced", 0.0239474444444444, 0.0239474444444444, 0.395833333333333},
    {"stencil", "gpu/csr/balanced", 0.000414396820840497, 0.000661887629476757, 0.0003794},
    {"stencil", "gpu/coo/slots", 0.000499404078606965, 0.000659687629476757, 0.002263},
    {"stencil", "gpu/compact/balanced", 0.000400984179104478, 0.000702071807641234, 0.001767},
    {"stencil", "gpu/csr/adaptive", 0.000415793632780796, 0.000659687629476757, 0.00048},
    {"stencil", "gpu/coo/segmented", 0.0012143968208405, 0.00154962762853676, 0.001205},
    {"stencil", "transpose", 0.208333333333333, 0.0103, 0},
    {"runs", "cpu/csr/balanced", 0.0247252222777778, 0.0280585556111111, 0.00694444444444444},
    {"runs", "cpu/sell/gather", 0.018003, 0.0213363333333333, 0.125},
    {"runs", "cpu/compact/balanced", 0.0173641111111111, 0.0206974444444444, 0.104166666666667},
    {"runs", "cpu/packed/slices", 0.0130585555555556, 0.0163918888888889, 0.222222222222222},
    {"runs", "cpu/csb/balanced", 0.0155585555555556, 0.0155585555555556, 0.395833333333333},
    {"runs", "gpu/csr/balanced", 0.00034745994109984, 0.000782218865533063, 0.000429},
    {"runs", "gpu/coo/slots", 0.00045292487022977, 0.000780018865533063, 0.002263},
    {"runs", "gpu/sell/warp-per-slice", 0.000226485, 0.000780018865533063, 0.001655},
    {"runs", "gpu/compact/balanced", 0.000361132967032967, 0.00084345183162603, 0.002015},
    {"runs", "gpu/csr/adaptive", 0.000334954945994945, 0.000780018865533063, 0.00176},
    {"runs", "gpu/coo/segmented", 0.00114745994109984, 0.00165491886459306, 0.001205},
    {"runs", "gpu/packed/slices", 0.000219905, 0.000382586886459306, 0.00730670454545455},
    {"runs", "transpose", 0.208333333333333, 0.0103, 0},
    {"blocks", "cpu/csr/balanced", 0.0202113332962963, 0.0203224442962963, 0.00694444444444444},
    {"blocks", "cpu/compact/balanced", 0.0181094814074074, 0.0182205924074074, 0.104166666666667},
    {"blocks", "cpu/bsr/unrolled", 0.0160192036388889, 0.0161303146388889, 0.194444444444444},
    {"blocks", "cpu/csb/balanced", 0.0231326295555556, 0.0231326295555556, 0.395833333333333},
    {"blocks", "gpu/csr/balanced", 0.000405983278407559, 0.000688539728041318, 0.0003680333323},
    {"blocks", "gpu/coo/slots", 0.000485498377861991, 0.000686339728041318, 0.002263},
    {"blocks", "gpu/compact/balanced", 0.000384611257980496, 0.000726834319731814, 0.0017101666615},
    {"blocks", "gpu/csr/adaptive", 0.000402939876664161, 0.000686339728041318, 0.00018666664},
    {"blocks", "gpu/coo/segmented", 0.00120598327840756, 0.00157972639408132, 0.001205},
    {"blocks", "gpu/bsr/balanced", 0.00031853582996, 0.000537380910932, 0.0141},
    {"blocks", "transpose", 0.208333333333333, 0.0103, 0},
    {"graph", "cpu/csr/balanced", 0.0491696667222222, 0.0531696667222222, 0.00694444444444444},
    {"graph", "cpu/compact/balanced", 0.0468641111111111, 0.0508641111111111, 0.104166666666667},
    {"graph", "cpu/csb/balanced", 0.0306141111111111, 0.0306141111111111, 0.395833333333333},
    {"graph", "gpu/csr/balanced", 0.0010741952250086, 0.00156088762947676, 0.0003794},
    {"graph", "gpu/coo/slots", 0.000981203278606965, 0.00155868762947676, 0.002263},
    {"graph", "gpu/compact/balanced", 0.000949781014925373, 0.00160107180764123, 0.001767},
    {"graph", "gpu/coo/segmented", 0.0018741952250086, 0.00244862762853676, 0.001205},
    {"graph", "gpu/panels/staged", 0.00079881, 0.00155868762947676, 0.006055},
    {"graph", "gpu/tile/balanced", 0.00122904, 0.00122904, 0.181},
    {"graph", "transpose", 0.208333333333333, 0.0103, 0},
    {"scattered", "cpu/csr/balanced", 0.0448363333888889, 0.0455030000555556, 0.00694444444444444},
    {"scattered", "cpu/compact/balanced", 0.0480863333333333, 0.048753, 0.104166666666667},
    {"scattered", "cpu/csb/balanced", 0.0305863333333333, 0.0305863333333333, 0.395833333333333},
    {"scattered", "gpu/csr/balanced", 0.000809376620840498, 0.00141036762947676, 0.0003794},
    {"scattered", "gpu/coo/slots", 0.000875383878606965, 0.00140816762947676, 0.002263},
    {"scattered", "gpu/compact/balanced", 0.000892964179104478, 0.00153255180764123, 0.001767},
    {"scattered", "gpu/csr/adaptive", 0.000800773632780796, 0.00140816762947676, 0.00048},
    {"scattered", "gpu/coo/segmented", 0.0016093766208405, 0.00229810762853676, 0.001205},
    {"scattered", "gpu/bsr/balanced", 0.000554117777777778, 0.000937870222222222, 0.0225722222222222},
    {"scattered", "gpu/tile/balanced", 0.000686352000846, 0.000686352000846, 0.181},
    {"scattered", "transpose", 0.208333333333333, 0.0103, 0},
    {"small", "cpu/csr/balanced", 0.000148833388888889, 0.000148833388888889, 5.55555555555556e-05},
    {"small", "gpu/csr/balanced", 7.84910794170186e-06, 1.49992631420431e-05, 5.9542e-05},
    {"small", "gpu/coo/slots", 7.05988631494642e-06, 1.27992631420431e-05, 8.06e-05},
    {"small", "transpose", 0.00166666666666667, 0.00038, 0},
    {"shorter", "cpu/csr/balanced", 1.88333888888889e-05, 1.88333888888889e-05, 3.47222222222222e-06},
    {"shorter", "cpu/sell/gather", 1.32777777777778e-05, 1.32777777777778e-05, 6.25e-05},
    {"shorter", "cpu/csr/balanced", 6.86113518518519e-05, 6.86113518518519e-05, 3.47222222222222e-06},
    {"shorter", "gpu/csr/balanced", 4.12228376330731e-06, 6.5659798276277e-06, 5.7217e-05},
    {"shorter", "gpu/coo/slots", 2.62215634699219e-06, 4.3659798276277e-06, 6.41e-05},
    {"shorter", "gpu/compact/balanced", 4.54424122919016e-06, 7.95982011681786e-06, 0.000156085},
    {"shorter", "transpose", 0.000104166666666667, 0.000305, 0},
    {"tall", "cpu/csr/balanced", 0.334878111222222, 0.334880777888889, 0.208333333333333},
    {"tall", "cpu/compact/balanced", 0.263711444444444, 0.263714111111111, 3.125},
    {"tall", "cpu/csb/balanced", 0.500169777777778, 1.33483644488889, 11.875},
    {"tall", "gpu/csr/balanced", 0.0077864772113502, 0.0931805215365111, 0.0093663},
    {"tall", "gpu/coo/slots", 0.00951011499423841, 0.0931783215365111, 0.066063},
    {"tall", "gpu/compact/balanced", 0.00742923742139073, 0.0938782978260218, 0.0467015},
    {"tall", "gpu/csr/adaptive", 0.00755477828419788, 0.0931783215365111, 0.00185},
    {"tall", "gpu/coo/segmented", 0.0317864772113502, 0.119992381534631, 0.033105},
    {"tall", "transpose", 6.25, 0.3003, 0},
    {"wide", "cpu/csr/balanced", 0.0566696667222222, 0.0620030000555556, 0.00694444444444444},
    {"wide", "cpu/compact/balanced", 0.0536974444444445, 0.0590307777777778, 0.104166666666667},
    {"wide", "cpu/csb/balanced", 0.0332807777777778, 0.0332807777777778, 0.395833333333333},
    {"wide", "gpu/csr/balanced", 0.0019085574157854436, 0.0031352234769203, 0.0004166},
    {"wide", "gpu/coo/slots", 0.0020231058056069916, 0.0031330234769203, 0.002263},
    {"wide", "gpu/compact/balanced", 0.0019001782630352062, 0.00318704467448217, 0.001953},
    {"wide", "gpu/coo/segmented", 0.0027085574157854433, 0.0040116834759803, 0.001205},
    {"wide", "gpu/packed/slices", 0.0016164800645333335, 0.0038955988453175717, 0.0516959090909091},
    {"wide", "gpu/slabs/balanced", 0.00112272, 0.0031322234769203, 0.0091},
    {"wide", "transpose", 0.208333333333333, 0.0103, 0},
};
// clang-format on

void expect_same(double now, double then, const Predicted& p) {
  EXPECT_NEAR(now, then, 1e-12 * then) << p.matrix << ", " << p.kernel;
}

TEST(Models, PredictWhatTheyDid) {
  const bool gpus = !match_kernels("gpu/csr/balanced").empty();
  for (const Seen& s : all_seen()) {
    std::vector<Candidate> all = cpu_candidates(s.f, 6, CpuTuning{});
    const std::vector<Candidate> more = gpu_candidates(s.f, h200, h200_tuning);
    all.insert(all.end(), more.begin(), more.end());
    std::size_t next = 0;
    for (const Predicted& p : predicted) {
      if (p.matrix != s.name) continue;
      if (p.kernel == "transpose") {
        expect_same(cpu_transpose_seconds(s.f, 6, CpuTuning{}), p.n, p);
        expect_same(gpu_transpose_seconds(s.f, h200_tuning), p.t, p);
      } else if (gpus || !p.kernel.starts_with("gpu/")) {
        ASSERT_LT(next, all.size()) << s.name << ": " << p.kernel << " is missing";
        const Candidate& c = all[next++];
        EXPECT_EQ(c.kernel->id(), p.kernel) << s.name;
        expect_same(c.n_seconds, p.n, p);
        expect_same(c.t_seconds, p.t, p);
        expect_same(c.setup_seconds, p.setup, p);
      }
    }
    EXPECT_EQ(next, all.size()) << s.name;
  }
}

// A line of blocks is one thread's, so that others would wait.
TEST(Models, BlocksThatGoBothWaysNeedLinesForAllThreads) {
  const Features wide{.rows = 276,
                      .cols = 346'104,
                      .nnz = 7'268'184,
                      .value_bytes = 8,
                      .offset_bytes = 4,
                      .entries = 16'000,
                      .row_length = 26'334,
                      .compact_bytes = 4,
                      .narrow_value_bytes = 0,
                      .lines = 0.3};
  const auto of = [&](int threads, std::string_view kernel) {
    for (const Candidate& c : cpu_candidates(wide, threads, CpuTuning{}))
      if (c.kernel->id() == kernel) return c;
    throw std::runtime_error("no such candidate");
  };
  EXPECT_LT(of(1, "cpu/csb/balanced").n_seconds, of(1, "cpu/csr/balanced").n_seconds);
  EXPECT_GT(of(2, "cpu/csb/balanced").n_seconds, 2 * of(2, "cpu/csr/balanced").n_seconds);
  EXPECT_LT(of(2, "cpu/csb/balanced").t_seconds, of(2, "cpu/csr/balanced").t_seconds);
}

// What the model has of a kernel; null: it does not suggest it.
std::optional<Candidate> suggested(std::string_view kernel, const Features& f,
                                   const DeviceInfo& device) {
  for (Candidate& c : gpu_candidates(f, device, h200_tuning))
    if (c.kernel->id() == kernel) return c;
  return std::nullopt;
}
std::optional<Candidate> suggested_panels(const Features& f, const DeviceInfo& device) {
  return suggested("gpu/panels/staged", f, device);
}

TEST(Models, ClustersTakeWhatTheirColumnsDo) {
  if (match_kernels("gpu/clusters/staged").empty()) GTEST_SKIP() << "no GPU kernels";
  Features mesh{.rows = 600'000,
                .cols = 600'000,
                .nnz = 9'600'000,
                .value_bytes = 4,
                .offset_bytes = 4,
                .entries = 16'000,
                .row_length = 16};
  mesh.narrow_value_bytes = 4;
  mesh.lines = 0.95;
  mesh.longest_row = 19;
  EXPECT_FALSE(suggested("gpu/clusters/staged", mesh, h200)) << "nobody looked at patches";
  // A patch of 216 rows has 2.4 columns a row, one of a block of 512 rows 1.05 around its own, and
  // a cluster 2.1. 2.6 us to launch, 17.0 for bytes, 14.9 for columns, 1.2 for rounds.
  mesh.patch_rows = 216;
  mesh.patch_columns = 0.15;
  const auto together = suggested("gpu/clusters/staged", mesh, h200);
  ASSERT_TRUE(together);
  EXPECT_NEAR(together->n_seconds, 35.6439e-6, 1e-12);
  EXPECT_NEAR(together->setup_seconds, 1474e-6, 1e-9);
  EXPECT_NEAR(together->bytes, 67.44e6, 1);
  // Where all entries have a column of their own, there are no more columns than entries.
  mesh.patch_columns = 1;
  const auto apart = suggested("gpu/clusters/staged", mesh, h200);
  ASSERT_TRUE(apart);
  EXPECT_NEAR(apart->bytes, 9.6e6 * 10 + 2.4e6, 1);
}

TEST(Models, PanelsOnlyWhereTheyCan) {
  if (match_kernels("gpu/panels/staged").empty()) GTEST_SKIP() << "no GPU kernels";
  Features terms{.rows = 200'000,
                 .cols = 5'000,
                 .nnz = 3'000'000,
                 .value_bytes = 4,
                 .offset_bytes = 4,
                 .entries = 10'000,
                 .row_length = 15,
                 .compact_bytes = 3.3,
                 .narrow_value_bytes = 1,
                 .lines = 0.9,
                 .longest_row = 60,
                 .nonempty_rows = 200'000};
  // 3.8 us to launch, 1.9 for bytes, 0.1 for x, 0.98 ps an entry and 2.3 a row.
  const auto one = suggested_panels(terms, h200);
  ASSERT_TRUE(one);
  EXPECT_NEAR(one->n_seconds, 9.223802e-6, 1e-15);
  EXPECT_NEAR(one->setup_seconds, 139e-6, 1e-12);
  EXPECT_NEAR(one->bytes, 9.75e6, 1);

  // Most rows are empty: y and the lists of rows are most of what moves, 34.3 MB of all.
  Features tall = terms;
  tall.rows = 2'000'000;
  tall.cols = 2'000;
  tall.nnz = 1'000'000;
  tall.value_bytes = 8;
  tall.narrow_value_bytes = 8;
  tall.nonempty_rows = 800'000;
  const auto with_lists = suggested_panels(tall, h200);
  ASSERT_TRUE(with_lists);
  EXPECT_NEAR(with_lists->n_seconds, 16.3787076e-6, 1e-15);
  EXPECT_NEAR(with_lists->bytes, 18.25e6, 1);

  Features many = terms;
  many.nnz = 3'000'000'000;
  EXPECT_FALSE(suggested_panels(many, h200)) << "more than it can number";
  DeviceInfo without = h200;
  without.shared_bytes = 0;
  EXPECT_FALSE(suggested_panels(terms, without));
  // Several panels need to know in how many parts rows fall.
  Features wide = terms;
  wide.cols = 60'000;
  EXPECT_FALSE(suggested_panels(wide, h200));
  wide.panel_parts = 0.2;
  EXPECT_TRUE(suggested_panels(wide, h200));
}

double csr_seconds(const Features& f, const GpuTuning& tuning) {
  return gpu_candidates(f, h200, tuning).front().n_seconds;
}

TEST(Models, FollowTheBandwidthAndTheLaunch) {
  if (match_kernels("gpu/csr/balanced").empty()) GTEST_SKIP() << "no GPU kernels";
  const Features large = all_seen()[0].f, small = all_seen()[6].f;
  GpuFigures half = h200_measured;
  half.bytes_per_second /= 2;
  EXPECT_NEAR(csr_seconds(large, scaled_from_h200(half, h200_measured)),
              2 * csr_seconds(large, h200_tuning), 0.02 * csr_seconds(large, h200_tuning));
  EXPECT_NEAR(csr_seconds(small, scaled_from_h200(half, h200_measured)),
              csr_seconds(small, h200_tuning), 0.1 * csr_seconds(small, h200_tuning));
  GpuFigures late = h200_measured;
  late.launch_seconds *= 2;
  EXPECT_NEAR(csr_seconds(small, scaled_from_h200(late, h200_measured)),
              2 * csr_seconds(small, h200_tuning), 0.1 * csr_seconds(small, h200_tuning));
  EXPECT_NEAR(csr_seconds(large, scaled_from_h200(late, h200_measured)),
              csr_seconds(large, h200_tuning), 0.02 * csr_seconds(large, h200_tuning));
}

}  // namespace
}  // namespace nz
