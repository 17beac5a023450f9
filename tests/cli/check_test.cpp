// check and demo: kernels judged.
#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/registry.hpp>

#include "lab/bench/bandwidth.hpp"
#include "lab/bench/measure.hpp"
#include "lab/bench/source.hpp"
#include "lab/bench/trial.hpp"
#include "lab/bench/verify.hpp"
#include "support/devices.hpp"
#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

std::size_t cpu_kernels() {
  return static_cast<std::size_t>(
      std::count_if(kernels().begin(), kernels().end(),
                    [](const Kernel& k) { return k.runs_on_device(Device::Kind::cpu); }));
}

TEST(Check, EveryKernelIsRightOnAGoodMatrix) {
  const TempDir dir;
  const Outcome o = nonzero({"check", dir.write("a.mtx", small_mtx), "--json", "-"});
  ASSERT_EQ(o.code, 0) << o.err;
  const json r = json::parse(o.out);
  EXPECT_EQ(r["right"], true);
  EXPECT_EQ(r["device"], "cpu");
  EXPECT_EQ(r["results"].size(), 4 * cpu_kernels());
  std::set<std::string> seen;
  for (const json& c : r["results"]) {
    const bool can = c["op"] == "N" || find_kernel(c["kernel"].get<std::string>()).transposes;
    // Slices need longer rows than this matrix has; nobody else may decline it.
    const bool declines = c["kernel"] == "cpu/packed/slices";
    EXPECT_EQ(c["outcome"], declines ? "refused" : can ? "right" : "unsupported") << c;
    EXPECT_EQ(c["products"], c["outcome"] == "right" ? 9 : 0);
    EXPECT_LE(c["worst_error"], 1);
    seen.insert(c["kernel"].get<std::string>() + c["type"].get<std::string>() +
                c["op"].get<std::string>());
  }
  EXPECT_EQ(seen.size(), r["results"].size());
}

TEST(Check, ShowsRefusedKernelsWithTheReason) {
  const Outcome o = nonzero({"check", "gen:rmat:scale=9", "--kernels", "cpu/*/serial"});
  EXPECT_EQ(o.code, 0) << "a refusal is no failure: " << o.err;
  EXPECT_TRUE(has(o.out, "cpu/dia/serial: refused: DIA: ")) << o.out;
  EXPECT_TRUE(has(o.out, "all right")) << o.out;
  EXPECT_FALSE(has(o.out, "WRONG")) << o.out;
}

TEST(Check, SaysWhatWasPadded) {
  const Outcome o =
      nonzero({"check", "gen:block-band:n=63,block=5,density=0.3", "--kernels", "cpu/bsr/*"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out,
                  "blocks of 5 x 5: 2 rows and 2 columns of padding, 1.05 stored values a "
                  "nonzero ("))
      << o.out;
}

TEST(Check, PatternSelectsKernels) {
  const Outcome o = nonzero({"check", "gen:grid:nx=5,ny=5", "--kernels", "cpu/csr/serial"});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.out, "\ncpu/csr/serial  right  right  right  right        36")) << o.out;
  EXPECT_FALSE(has(o.out, "cpu/coo"));
  EXPECT_EQ(nonzero({"check", "gen:grid", "--kernels", "tpu/*"}).code, 2);
}

TEST(Check, DegenerateMatricesAreRight) {
  for (const char* spec : {"gen:empty:rows=0,cols=0", "gen:empty:rows=0,cols=5",
                           "gen:empty:rows=5,cols=0", "gen:empty:rows=3,cols=3"}) {
    const Outcome o = nonzero({"check", spec, "--json", "-"});
    ASSERT_EQ(o.code, 0) << spec << ": " << o.err << o.out;
    for (const json& c : json::parse(o.out)["results"]) {
      const bool can = c["op"] == "N" || find_kernel(c["kernel"].get<std::string>()).transposes;
      EXPECT_EQ(c["outcome"], can ? "right" : "unsupported") << spec << c;
    }
  }
}

// A kernel that is wrong: it drops the last entry of the matrix.
class Forgetful final : public Product<double> {
 public:
  explicit Forgetful(const CsrView<double, std::int32_t>& a) : a_(a) {}
  void multiply(Op, double alpha, std::span<const double> x, double beta,
                std::span<double> y) const override {
    for (index_t i = 0; i < a_.rows; ++i) {
      double sum = 0;
      for (std::int32_t k = a_.offsets[i]; k < std::min(a_.offsets[i + 1], a_.nnz - 1); ++k)
        sum += a_.values[k] * x[static_cast<std::size_t>(a_.columns[k])];
      double& out = y[static_cast<std::size_t>(i)];
      out = beta == 0 ? alpha * sum : alpha * sum + beta * out;
    }
  }
  std::size_t bytes() const override { return 0; }
  bool borrows() const override { return true; }
  std::size_t traffic(Op, bool) const override { return 1; }

 private:
  CsrView<double, std::int32_t> a_;
};

Kernel forgetful_kernel() {
  Kernel k{.family = "cpu", .format = "csr", .strategy = "forgetful"};
  std::get<Prepare<double, std::int32_t>>(k.prepare) =
      [](const CsrView<double, std::int32_t>& a,
         const Parameters&) -> std::unique_ptr<Product<double>> {
    return std::make_unique<Forgetful>(a);
  };
  return k;
}

TEST(Check, AWrongKernelIsCaughtAndGetsNoTime) {
  const lab::Narrowed a = lab::narrow(lab::load("gen:grid:nx=6,ny=6").matrix);
  const auto view = std::get<0>(a).view();
  const Kernel wrong = forgetful_kernel();

  lab::Judge judge(view);
  const auto checked = lab::conformance(wrong, judge);
  ASSERT_EQ(checked.size(), 2u);
  EXPECT_EQ(checked[0].outcome, lab::Conformance::Outcome::wrong);
  EXPECT_TRUE(has(checked[0].reason, "row 35")) << checked[0].reason;
  EXPECT_EQ(checked[1].outcome, lab::Conformance::Outcome::unsupported);

  lab::Stage stage(view);
  const auto trials = stage.perform(wrong, {});
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials[0].status, lab::Status::wrong);
  EXPECT_TRUE(trials[0].timing.samples.empty());
}

TEST(Demo, EveryRowFitsAUsualTerminal) {
  const Outcome o = nonzero({"demo", "--small"}, {{"COLUMNS", "80"}});
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  EXPECT_TRUE(has(o.out, " right\n")) << o.out;
  EXPECT_FALSE(has(o.out, "\n  right\n")) << o.out;
}

TEST(Demo, SmallOneChecksEveryKernelTwice) {
  const TempDir dir;
  const Outcome o = nonzero({"demo", "--small", "--json", dir("demo.json")});
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  EXPECT_TRUE(has(o.out, "of memory  result\n")) << o.out;
  EXPECT_TRUE(has(o.out, "Where to go next:")) << o.out;
  EXPECT_TRUE(has(o.out, " products are right")) << o.out;
  EXPECT_TRUE(has(o.out, "on cpu a plan takes cpu/")) << o.out;
  EXPECT_FALSE(has(o.out, "times as fast as")) << "of so small matrices: " << o.out;
  EXPECT_FALSE(has(o.out, "WRONG")) << o.out;
  EXPECT_FALSE(has(o.err, "\r")) << "no bar where there is no terminal";
  const json r = json::parse(read_file(dir("demo.json")));
  EXPECT_EQ(r["right"], true);
  EXPECT_EQ(r["matrices"].size(), 2u);
  EXPECT_GT(r["memory"]["read_bytes_per_second"], 0);
  std::set<std::string> seen;
  for (const json& t : r["results"]) {
    if (t["device"] != "cpu") continue;  // where there is a GPU
    seen.insert(t["matrix"].get<std::string>() + ' ' + t["kernel"].get<std::string>());
    if (t["outcome"] == "right") {
      EXPECT_GT(t["seconds"], 0);
      EXPECT_NEAR(t["bytes_per_second"].get<double>() * t["seconds"].get<double>(),
                  t["traffic_bytes"].get<double>(), 1);
    } else {
      EXPECT_EQ(t["outcome"], "refused") << t;
      EXPECT_FALSE(t.contains("seconds"));
    }
  }
  EXPECT_EQ(seen.size(), 2 * cpu_kernels());
  ASSERT_GE(r["plans"].size(), 2u);
  for (const json& p : r["plans"]) {
    EXPECT_GT(p["seconds"], 0) << p;
    EXPECT_GT(p["plain_seconds"], 0) << p;
    EXPECT_FALSE(match_kernels(p["kernel"].get<std::string>()).empty()) << p;
  }
  if (!has_emulator() || why_no_cuda().empty()) return;
  // Without a GPU every kernel for one is verified, and has no time.
  std::set<std::string> emulated;
  for (const json& t : r["emulated"]) {
    EXPECT_EQ(t["outcome"], "right") << t;
    EXPECT_EQ(t["device"], "emu");
    for (const char* key : {"seconds", "prepare_seconds", "bytes_per_second"})
      EXPECT_FALSE(t.contains(key)) << t;
    emulated.insert(t["kernel"]);
  }
  EXPECT_EQ(emulated.size(), match_kernels("gpu/*").size());
  EXPECT_TRUE(has(o.out, fmt::format("those of {} kernels for GPUs", emulated.size()))) << o.out;
}

TEST(Measure, MedianAndBestOfTheSamples) {
  const lab::Timing odd{{3, 1, 2}}, even{{4, 1, 3, 2}};
  EXPECT_EQ(odd.median(), 2);
  EXPECT_EQ(even.median(), 2.5);
  EXPECT_EQ(even.best(), 1);
  int calls = 0;
  const lab::Timing t = lab::measure([&] { ++calls; }, {0, 0, 3, 7});
  EXPECT_EQ(t.samples.size(), 3u);
  EXPECT_EQ(calls, 4) << "one to warm up";
  EXPECT_EQ(lab::measure([] {}, {0, 10, 3, 7}).samples.size(), 7u);
}

// Each is the best of five runs, so that five times as long as it says is no longer than it took:
// what is said is not too little. And no machine reads ten terabytes in a second: it is not too
// much.
TEST(Measure, BandwidthIsWhatTheClockAllows) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const lab::Bandwidth b = lab::measure_bandwidth(1 << 20);
  const double took = std::chrono::duration<double>(Clock::now() - start).count();
  EXPECT_EQ(b.array_bytes, std::size_t{1} << 20);
  const double bytes = 1 << 20, thirds = 3 * 8 * ((1 << 20) / 8 / 3);
  EXPECT_LE(5 * bytes / b.read + 5 * thirds / b.triad, took);
  EXPECT_GT(b.read, 0);
  EXPECT_GT(b.triad, 0);
  EXPECT_LT(b.read, 1e13);
  EXPECT_LT(b.triad, 1e13);
}

}  // namespace
}  // namespace nz::test
