#include "plan/models.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/registry.hpp>

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
  runs.row_length = 5;
  runs.longest_row = 5;
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
  graph.hottest = 0.001;
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
    {"stencil", "gpu/csr/balanced", 0.00041220000098, 0.000674687629516757, 0.000912},
    {"stencil", "gpu/coo/slots", 0.000507203, 0.000672487629516757, 0.0041},
    {"stencil", "gpu/csr/adaptive", 0.0004245660010094, 0.000672487629516757, 0.00113},
    {"stencil", "gpu/coo/segmented", 0.00121220000098, 0.00156626762853676, 0.00618},
    {"stencil", "gpu/compact/balanced", 0.00044264, 0.000743727628536757, 0.00966},
    {"stencil", "transpose", 0.208333333333333, 0.0103, 0},
    {"runs", "cpu/csr/balanced", 0.0247252222777778, 0.0280585556111111, 0.00694444444444444},
    {"runs", "cpu/compact/balanced", 0.0173641111111111, 0.0206974444444444, 0.104166666666667},
    {"runs", "cpu/packed/slices", 0.0130585555555556, 0.0163918888888889, 0.222222222222222},
    {"runs", "cpu/csb/balanced", 0.0155585555555556, 0.0155585555555556, 0.395833333333333},
    {"runs", "gpu/csr/balanced", 0.00037530000098, 0.000792618865573063, 0.00104},
    {"runs", "gpu/coo/slots", 0.000476615, 0.000790418865573063, 0.0041},
    {"runs", "gpu/csr/adaptive", 0.0003265110008526, 0.000790418865573063, 0.00305},
    {"runs", "gpu/coo/segmented", 0.00117530000098, 0.00166851886459306, 0.00618},
    {"runs", "gpu/compact/balanced", 0.000338, 0.000820318864593063, 0.0111},
    {"runs", "gpu/packed/slices", 0.0002969, 0.000459581886459306, 0.0029},
    {"runs", "transpose", 0.208333333333333, 0.0103, 0},
    {"blocks", "cpu/csr/balanced", 0.0202113332962963, 0.0203224442962963, 0.00694444444444444},
    {"blocks", "cpu/compact/balanced", 0.0181094814074074, 0.0182205924074074, 0.104166666666667},
    {"blocks", "cpu/bsr/unrolled", 0.0160192036388889, 0.0161303146388889, 0.194444444444444},
    {"blocks", "cpu/csb/balanced", 0.0231326295555556, 0.0231326295555556, 0.395833333333333},
    {"blocks", "gpu/csr/balanced", 0.00039368333263, 0.000700606394681318, 0.000882666664},
    {"blocks", "gpu/coo/slots", 0.0004844898312685, 0.000698406394681318, 0.0041},
    {"blocks", "gpu/csr/adaptive", 0.000354314999367, 0.000698406394681318, 0.00068999996},
    {"blocks", "gpu/coo/segmented", 0.00119368333263, 0.00159577972736132, 0.00618},
    {"blocks", "gpu/bsr/balanced", 0.0002463299970075, 0.00041456099491275, 0.01445},
    {"blocks", "gpu/compact/balanced", 0.00036005333128, 0.000702276393031318, 0.00932999997},
    {"blocks", "transpose", 0.208333333333333, 0.0103, 0},
    {"graph", "cpu/csr/balanced", 0.0491696667222222, 0.0531696667222222, 0.00694444444444444},
    {"graph", "cpu/compact/balanced", 0.0468641111111111, 0.0508641111111111, 0.104166666666667},
    {"graph", "cpu/csb/balanced", 0.0306141111111111, 0.0306141111111111, 0.395833333333333},
    {"graph", "gpu/csr/balanced", 0.001070040001176, 0.00157368762951676, 0.000912},
    {"graph", "gpu/coo/slots", 0.000987203, 0.00157148762951676, 0.0041},
    {"graph", "gpu/coo/segmented", 0.001870040001176, 0.00246526762853676, 0.00618},
    {"graph", "gpu/compact/balanced", 0.000999768, 0.00164272762853676, 0.00966},
    {"graph", "gpu/tile/balanced", 0.00122968, 0.00122968, 0.181},
    {"graph", "transpose", 0.208333333333333, 0.0103, 0},
    {"scattered", "cpu/csr/balanced", 0.0448363333888889, 0.0455030000555556, 0.00694444444444444},
    {"scattered", "cpu/compact/balanced", 0.0480863333333333, 0.048753, 0.104166666666667},
    {"scattered", "cpu/csb/balanced", 0.0305863333333333, 0.0305863333333333, 0.395833333333333},
    {"scattered", "gpu/csr/balanced", 0.00082026000098, 0.00141884762951676, 0.000912},
    {"scattered", "gpu/coo/slots", 0.000912863, 0.00141664762951676, 0.0041},
    {"scattered", "gpu/csr/adaptive", 0.0008448678010094, 0.00141664762951676, 0.00113},
    {"scattered", "gpu/coo/segmented", 0.00162026000098, 0.00231042762853676, 0.00618},
    {"scattered", "gpu/bsr/balanced", 0.000333535555555556, 0.000562810444444444, 0.0229222222222222},
    {"scattered", "gpu/compact/balanced", 0.0009463, 0.00158588762853676, 0.00966},
    {"scattered", "gpu/tile/balanced", 0.000693984000882, 0.000693984000882, 0.181},
    {"scattered", "transpose", 0.208333333333333, 0.0103, 0},
    {"small", "cpu/csr/balanced", 0.000148833388888889, 0.000148833388888889, 5.55555555555556e-05},
    {"small", "gpu/csr/balanced", 7.74800098e-06, 1.50992631820431e-05, 8.656e-05},
    {"small", "gpu/coo/slots", 5.49989e-06, 1.28992631820431e-05, 0.000132},
    {"small", "gpu/compact/balanced", 5.9782e-06, 1.56274622020431e-05, 0.0003738},
    {"small", "transpose", 0.00166666666666667, 0.00038, 0},
    {"shorter", "cpu/csr/balanced", 1.88333888888889e-05, 1.88333888888889e-05, 3.47222222222222e-06},
    {"shorter", "cpu/sell/gather", 1.3277777777777779e-05, 1.3277777777777779e-05, 6.25e-05},
    {"shorter", "cpu/csr/balanced", 6.8611351851851851e-05, 6.8611351851851851e-05, 3.47222222222222e-06},
    {"shorter", "gpu/csr/balanced", 3.20430098e-06, 6.5723798676277e-06, 8.056e-05},
    {"shorter", "gpu/coo/slots", 2.4857525e-06, 4.3723798676277e-06, 0.000102},
    {"shorter", "transpose", 0.000104166666666667, 0.000305, 0},
    {"tall", "cpu/csr/balanced", 0.334878111222222, 0.334880777888889, 0.208333333333333},
    {"tall", "cpu/compact/balanced", 0.263711444444444, 0.263714111111111, 3.125},
    {"tall", "cpu/csb/balanced", 0.500169777777778, 0.500169777777778, 11.875},
    {"tall", "gpu/csr/balanced", 0.00802632121196, 0.0934208816165911, 0.024104},
    {"tall", "gpu/coo/slots", 0.01075806471, 0.0934186816165911, 0.1201},
    {"tall", "gpu/csr/adaptive", 0.007223689090764, 0.0934186816165911, 0.01551},
    {"tall", "gpu/coo/segmented", 0.03202632121196, 0.120352501614631, 0.18018},
    {"tall", "gpu/compact/balanced", 0.00700491121, 0.0934539716146311, 0.27057},
    {"tall", "transpose", 6.25, 0.3003, 0},
    {"wide", "cpu/csr/balanced", 0.0566696667222222, 0.0620030000555556, 0.00694444444444444},
    {"wide", "cpu/compact/balanced", 0.0536974444444445, 0.0590307777777778, 0.104166666666667},
    {"wide", "cpu/csb/balanced", 0.0332807777777778, 0.0332807777777778, 0.395833333333333},
    {"wide", "gpu/csr/balanced", 0.00172840149431333, 0.0031504234769603, 0.001008},
    {"wide", "gpu/coo/slots", 0.00183713849333333, 0.0031482234769603, 0.0041},
    {"wide", "gpu/coo/segmented", 0.00252840149431333, 0.0040302434759803, 0.00618},
    {"wide", "gpu/compact/balanced", 0.00177216149333333, 0.0032435834759803, 0.01074},
    {"wide", "gpu/packed/slices", 0.00163707149333333, 0.00391619027411757, 0.0106},
    {"wide", "gpu/slabs/balanced", 0.00114624, 0.0031474234769603, 0.0058},
    {"wide", "transpose", 0.208333333333333, 0.0103, 0},
};
// clang-format on

const DeviceInfo h200{.description = "NVIDIA H200", .processors = 132, .cache_bytes = 62'914'560};

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
