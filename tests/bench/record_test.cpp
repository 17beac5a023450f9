#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "lab/bench/gpu_state.hpp"
#include "lab/bench/machine.hpp"
#include "lab/bench/record.hpp"
#include "lab/bench/source.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using lab::Record;
using lab::Result;
using lab::Status;
using Json = nlohmann::ordered_json;

Result timed(const char* kernel, int threads, double setup, double median) {
  Result r;
  r.matrix = "m";
  r.kernel = kernel;
  r.op = "N";
  r.type = "f64";
  r.threads = threads;
  r.setup_s = setup;
  r.median_s = median;
  r.samples_s = {median, median};
  return r;
}

TEST(BenchRecord, ReadsWhatItWrites) {
  const TempDir dir;
  Record r = Record::here();
  r.bandwidth = {{.read = 1e10, .triad = 2e10, .array_bytes = 100, .threads = 1},
                 {.read = 3e10, .triad = 4e10, .array_bytes = 100, .threads = 4}};
  Result full = timed("cpu/csr/serial", 1, 0.5, 0.25);
  full.source = "gen:x";
  full.rows = 3, full.cols = 4, full.nnz = 5;
  full.parameters = {{"chunk", 8}};
  full.facts = {{"fill_ratio", 1.25}};
  full.planned = true;
  full.bytes = 77;
  full.prepared_bytes = 88;
  full.csr_bytes = 99;
  full.noise = 0.01;
  Result refused = timed("cpu/dia/serial", 1, 0, 0);
  refused.status = Status::refused;
  refused.reason = "too \"wide\"";
  refused.setup_s.reset();
  refused.median_s.reset();
  refused.samples_s.clear();
  r.results = {full, refused};
  r.row_lengths["m"] = {.count = 3, .max = 2, .empty = 1, .mean = 5.0 / 3, .histogram = {1, 1, 1}};
  r.forecasts = {{.matrix = "m",
                  .device = "cpu",
                  .type = "f64",
                  .op = "N",
                  .threads = 4,
                  .kernel = "cpu/csr/serial",
                  .why = "it is small",
                  .predictions = {{"cpu/csr/serial", {}, 0.25, 0.5, 88, "small", ""},
                                  {"cpu/sell/serial", {{"chunk", 8}}, 1, 2, 3, "a", "slower"}}}};
  lab::write_record(dir("r.json"), r);
  const Record back = lab::read_record(dir("r.json"));
  EXPECT_EQ(lab::text(back), lab::text(r));
  EXPECT_EQ(back.results[0].parameters, full.parameters);
  EXPECT_EQ(back.results[0].facts, full.facts);
  EXPECT_EQ(back.results[0].planned, true);
  EXPECT_FALSE(back.results[1].planned);
  EXPECT_FALSE(back.results[1].median_s);
  EXPECT_EQ(back.results[1].reason, refused.reason);
  EXPECT_EQ(back.memory(4)->read, 3e10);
  EXPECT_EQ(back.date, r.date);
  EXPECT_EQ(back.date.size(), std::string("2026-03-01T12:00:00Z").size());
  EXPECT_EQ(back.row_lengths.at("m").histogram, r.row_lengths["m"].histogram);
  ASSERT_EQ(back.forecasts.size(), 1u);
  EXPECT_TRUE(back.forecasts[0].about(r.forecasts[0]));
  EXPECT_EQ(back.forecasts[0].predictions.at(1).parameters, (Parameters{{"chunk", 8}}));
  EXPECT_EQ(back.forecasts[0].predictions[1].why_not, "slower");
  EXPECT_EQ(back.memory(2), nullptr);

  const Json j = Json::parse(read_file(dir("r.json")));
  EXPECT_EQ(j["schema"], "nonzero-bench/1");
  EXPECT_EQ(j["read_bandwidth"], 3e10) << "of the most threads";
  for (const char* key : {"commit", "dirty", "machine", "compiler", "build_type", "bandwidth"})
    EXPECT_TRUE(j.contains(key)) << key;
  for (const Json& one : j["results"])
    for (const char* key : {"matrix",
                            "rows",
                            "cols",
                            "nnz",
                            "kernel",
                            "op",
                            "type",
                            "status",
                            "reason",
                            "threads",
                            "setup_s",
                            "median_s",
                            "samples_s",
                            "spread",
                            "bytes",
                            "csr_bytes",
                            "prepared_bytes",
                            "gflops",
                            "bandwidth_share",
                            "parameters"})
      EXPECT_TRUE(one.contains(key)) << key;
  EXPECT_EQ(j["results"][1]["status"], "refused");
  EXPECT_TRUE(j["results"][1]["median_s"].is_null());
}

TEST(BenchRecord, KeepsWhatAGpuHasInAddition) {
  const TempDir dir;
  Record r = Record::here();
  r.bandwidth = {
      {.read = 4e12, .array_bytes = 100, .threads = 1, .device = "cuda:0", .copy = 3e12}};
  r.clocks = {{"sm_mhz_lowest", 1200}};
  Result one = timed("gpu/csr/balanced", 1, 0.5, 0.25);
  one.device = "cuda:0";
  one.hot_median_s = 0.125;
  one.hot_noise = 0.01;
  one.hot_samples_s = {0.125, 0.126};
  one.hot_multiplies_per_sample = 7;
  one.replayed = true;
  r.results = {one, timed("gpu/csr/balanced", 1, 0.5, 0.25)};
  EXPECT_NE(lab::key(r.results[0]), lab::key(r.results[1])) << "another device, another case";
  lab::write_record(dir("r.json"), r);
  const Record back = lab::read_record(dir("r.json"));
  EXPECT_EQ(lab::text(back), lab::text(r));
  EXPECT_EQ(back.results[0].hot_median_s, 0.125);
  EXPECT_EQ(back.results[0].hot_samples_s.size(), 2u);
  EXPECT_EQ(back.results[0].replayed, true);
  EXPECT_EQ(back.results[0].device, "cuda:0");
  EXPECT_FALSE(back.results[1].hot_median_s);
  EXPECT_EQ(back.memory(1, "cuda:0")->copy, 3e12);
  EXPECT_EQ(back.memory(1), nullptr) << "that would be the CPU";
  EXPECT_EQ(Json::parse(read_file(dir("r.json")))["clocks"]["sm_mhz_lowest"], 1200);
}

TEST(BenchRecord, RecordsFromBeforeThereWereDevicesAreOfTheCpu) {
  const TempDir dir;
  const Record old = lab::read_record(dir.write("old.json", R"({"schema": "nonzero-bench/1",
    "bandwidth": [{"threads": 2, "read": 5, "triad": 6, "array_bytes": 7}],
    "results": [{"matrix": "m", "kernel": "k", "op": "N", "type": "f64", "status": "ok"}]})"));
  EXPECT_EQ(old.results.at(0).device, "cpu");
  EXPECT_EQ(old.memory(2)->triad, 6);
  EXPECT_NO_THROW(lab::require_same_origin(old, old));
}

TEST(BenchRecord, AGpuIsComparedWithPlainCsrOnTheSameGpu) {
  Record r;
  const auto on_gpu = [](const char* kernel, double median) {
    Result one = timed(kernel, 1, 1, median);
    one.device = "cuda:0";
    return one;
  };
  r.results = {on_gpu("gpu/x/y", 1), on_gpu("gpu/csr/warp-per-row", 4),
               timed("cpu/csr/serial", 1, 1, 100)};
  r.compare_with_csr();
  EXPECT_EQ(r.results[0].baseline, "gpu/csr/warp-per-row");
  EXPECT_EQ(r.results[0].speedup, 4);
  EXPECT_EQ(r.results[2].baseline, "cpu/csr/serial");
  r.results.push_back(on_gpu("peer/cusparse/csr-alg1-pre", 2));
  r.compare_with_csr();
  EXPECT_EQ(r.results[0].baseline, "peer/cusparse/csr-alg1-pre") << "where it was measured";
  EXPECT_EQ(r.results[0].speedup, 2);
}

TEST(BenchRecord, ClocksSayWhatSlowedThemDown) {
  EXPECT_TRUE(lab::slowdowns(0x1 | 0x2).empty()) << "idle, or a clock somebody chose";
  EXPECT_EQ(lab::slowdowns(0x4 | 0x40), (std::vector<std::string>{"power cap", "heat (hardware)"}));
  lab::GpuStates states;
  EXPECT_TRUE(states.describe().empty());
  states.add(std::nullopt);
  EXPECT_TRUE(states.describe().empty());
  states.add(lab::GpuState{.sm_mhz = 1900, .memory_mhz = 3000});
  states.add(lab::GpuState{.sm_mhz = 1500, .memory_mhz = 3000, .reasons = 0x4});
  states.add(lab::GpuState{.sm_mhz = 1700, .memory_mhz = 3000});
  const Json j = states.describe();
  EXPECT_EQ(j["before"]["sm_mhz"], 1900);
  EXPECT_EQ(j["after"]["sm_mhz"], 1700);
  EXPECT_EQ(j["sm_mhz_lowest"], 1500);
  EXPECT_EQ(j["sm_mhz_highest"], 1900);
  EXPECT_EQ(j["slowed_by"], Json({"power cap"}));
}

TEST(BenchRecord, BreakEvenCountsMultipliesAgainstPlainCsr) {
  Record r;
  r.results = {timed("cpu/x/y", 2, 10.5, 0.5),        // pays 10 s, saves 0.5 s against omp-rows
               timed("cpu/csr/serial", 1, 0.5, 4),    //
               timed("cpu/csr/omp-rows", 2, 0.5, 1),  //
               timed("cpu/slow/y", 2, 1, 2),          // slower than omp-rows
               timed("cpu/x/y", 4, 1, 0.5),           // no omp-rows on 4: serial
               timed("cpu/free/y", 1, 0.1, 2)};       // its setup is shorter
  r.compare_with_csr();
  const auto& x = r.results;
  EXPECT_EQ(x[0].baseline, "cpu/csr/omp-rows");
  EXPECT_EQ(x[0].speedup, 2);
  EXPECT_EQ(x[0].break_even, 20);
  EXPECT_EQ(x[2].speedup, 1);
  EXPECT_FALSE(x[2].break_even);
  EXPECT_EQ(x[3].speedup, 0.5);
  EXPECT_FALSE(x[3].break_even) << "never";
  EXPECT_EQ(x[4].baseline, "cpu/csr/serial");
  EXPECT_EQ(x[4].break_even, 1) << "0.5 s over 3.5 s, rounded up";
  EXPECT_EQ(x[5].break_even, 0);
}

TEST(BenchRecord, TellsWhatIsNoRecord) {
  const TempDir dir;
  EXPECT_THROW(lab::read_record(dir("none.json")), BadInput);
  EXPECT_THROW(lab::read_record(dir.write("a.json", "{")), BadInput);
  EXPECT_THROW(lab::read_record(dir.write("b.json", "[]")), BadInput);
  EXPECT_THROW(lab::read_record(dir.write("c.json", R"({"schema": "other"})")), BadInput);
  const std::string head = R"({"schema": "nonzero-bench/1", "results": [)";
  EXPECT_THROW(lab::read_record(dir.write("d.json", head + R"({"matrix": "m"}]})")), BadInput);
  EXPECT_THROW(lab::read_record(dir.write(
                   "e.json", head + R"({"matrix": "m", "kernel": "k", "op": "N", "type": "f64",
                                        "status": "fine"}]})")),
               BadInput);
  EXPECT_EQ(lab::read_record(dir.write("f.json", head + "]}")).results.size(), 0u);
}

TEST(BenchRecord, OnlyTheSameProgramAndMachineMayGoOn) {
  const Record now = Record::here();
  EXPECT_NO_THROW(lab::require_same_origin(now, now));
  Record other = now;
  other.commit = "0123";
  EXPECT_THROW(lab::require_same_origin(other, now), InvalidArgument);
  other = now;
  other.dirty = !now.dirty;
  EXPECT_THROW(lab::require_same_origin(other, now), InvalidArgument);
  other = now;
  other.machine["cpu"] = "Z80";
  EXPECT_THROW(lab::require_same_origin(other, now), InvalidArgument);
  other = now;
  other.settings["device"] = "cuda:0";
  EXPECT_THROW(lab::require_same_origin(other, now), InvalidArgument);
  other = now;
  other.environment["peers"] = {"cuSPARSE 0.0.1"};
  EXPECT_THROW(lab::require_same_origin(other, now), InvalidArgument);
}

TEST(BenchRecord, NamesTheVersionsOfOtherLibraries) {
  const std::deque<Kernel> some{
      {.family = "peer", .format = "b", .strategy = "x", .source = "B 2.0"},
      {.family = "cpu", .format = "csr", .strategy = "x", .source = "ours"},
      {.family = "peer", .format = "a", .strategy = "x", .source = "A 10.1"},
      {.family = "peer", .format = "b", .strategy = "y", .source = "B 2.0"}};
  EXPECT_EQ(lab::peer_versions(some), (std::vector<std::string>{"A 10.1", "B 2.0"}));
  const auto here = lab::peer_versions(kernels());
  const Record now = Record::here();
  EXPECT_EQ(now.environment.value("peers", std::vector<std::string>{}), here);
  EXPECT_EQ(now.environment.contains("peers"), !here.empty());
}

TEST(BenchRecord, SaysWhereItComesFrom) {
  const lab::Commit c = lab::commit();
  EXPECT_TRUE(c.id == "unknown" ||
              (c.id.size() >= 7 && c.id.find_first_not_of("0123456789abcdef") == c.id.npos))
      << c.id;
  const Json m = lab::describe_machine();
  EXPECT_FALSE(m["cpu"].get<std::string>().empty());
  EXPECT_GT(m["cpus"], 0);
  EXPECT_GT(m["memory_bytes"], 1 << 20);
  EXPECT_FALSE(lab::compiler().empty());
}

TEST(Source, IsCheckedBeforeAnythingIsLoaded) {
  EXPECT_NO_THROW(lab::check_source("gen:grid:nx=5"));
  EXPECT_NO_THROW(lab::check_source("like:ecology1"));
  EXPECT_THROW(lab::check_source("gen:gird"), InvalidArgument);
  EXPECT_THROW(lab::check_source("gen:grid:nx=-5"), InvalidArgument);
  EXPECT_THROW(lab::check_source("like:no-such"), InvalidArgument);
  EXPECT_THROW(lab::check_source("/no/such/file.mtx"), BadInput);
}

}  // namespace
}  // namespace nz::test
