#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/registry.hpp>
#include <sched.h>

#include "lab/report/table.hpp"
#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

// Hardly any time a case, and a memory test that takes none.
std::vector<std::string> quick(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  for (const char* more : {"--time-limit", "0", "--max-samples", "3", "--buffer", "1"})
    arguments.emplace_back(more);
  return arguments;
}

class Bench : public testing::Test {
 protected:
  const TempDir dir;
  const std::string record = dir("record.json");
  json read() const { return json::parse(read_file(record)); }
};

TEST_F(Bench, MeasuresEveryKernelOfTheRegistry) {
  const std::string matrix = dir.write("a.mtx", small_mtx);
  const Outcome o =
      nonzero(quick({matrix, "--kernels", "cpu/*", "--types", "f32,f64", "--json", record}));
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  const json r = read();
  EXPECT_EQ(r["schema"], "nonzero-bench/1");
  EXPECT_GT(r["read_bandwidth"], 0);
  EXPECT_TRUE(r["dirty"].is_boolean());
  EXPECT_TRUE(r["machine"].is_object());
  EXPECT_EQ(r["results"].size(), 4 * match_kernels("cpu/*").size()) << "each op and type";
  const auto read_at = [&](int threads) {
    for (const json& b : r["bandwidth"])
      if (b["threads"] == threads) return b["read"].get<double>();
    return 0.0;
  };
  std::size_t ok = 0;
  for (const json& one : r["results"]) {
    ok += one["status"] == "ok";
    EXPECT_EQ(one["matrix"], "a") << "the file's name, without folder and ending";
    EXPECT_EQ(one["source"], "a.mtx") << "without its folder";
    EXPECT_EQ(one["rows"], 3);
    EXPECT_EQ(one["cols"], 4);
    EXPECT_EQ(one["nnz"], 5);
    if (one["status"] == "ok") {
      EXPECT_EQ(one["samples_s"].size(), 3u);
      EXPECT_GT(one["median_s"], 0);
      EXPECT_GE(one["setup_s"], 0);
      EXPECT_GT(one["bytes"], 0);
      const double median = one["median_s"];
      EXPECT_NEAR(one["gflops"].get<double>() * median, 2e-9 * 5, 1e-12);
      EXPECT_NEAR(one["bandwidth_share"].get<double>() * median * read_at(one["threads"]),
                  one["bytes"].get<double>(), 1e-3 * one["bytes"].get<double>());
      EXPECT_GT(one["speedup"], 0);
    } else {
      EXPECT_EQ(one["status"], "refused") << one;
      EXPECT_FALSE(one["reason"].get<std::string>().empty());
    }
  }
  EXPECT_GE(ok, r["results"].size() * 3 / 4) << "most are measured";
  EXPECT_TRUE(has(o.out, "f64 N\n")) << o.out;
  EXPECT_TRUE(has(o.out, "f32 T\n")) << o.out;
  EXPECT_TRUE(has(o.out, "cpu/csr/serial")) << o.out;
  EXPECT_FALSE(has(o.err, "\r"));
}

TEST_F(Bench, MatricesHaveNames) {
  const std::string matrix = dir.write("a.mtx", small_mtx);
  std::filesystem::create_directory(dir("other"));
  const std::string same = dir.write("other/a.mtx", small_mtx);
  const std::vector<std::string> how{"--kernels", "cpu/csr/serial", "--ops", "N", "--json", record};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), how.begin(), how.end());
    return nonzero(quick(words));
  };
  ASSERT_EQ(run({matrix, "second=" + same, "spec=gen:diagonal:n=9"}).code, 0);
  const json r = read()["results"];
  ASSERT_EQ(r.size(), 3u);
  EXPECT_EQ(r[0]["matrix"], "a");
  EXPECT_EQ(r[1]["matrix"], "second");
  EXPECT_EQ(r[1]["source"], "a.mtx");
  EXPECT_EQ(r[2]["matrix"], "spec");
  EXPECT_EQ(r[2]["source"], "gen:diagonal:n=9");
  const Outcome alike = run({matrix, same});
  EXPECT_EQ(alike.code, 2);
  EXPECT_TRUE(has(alike.err, "are both named a: write NAME=")) << alike.err;
  EXPECT_TRUE(has(run({matrix, matrix}).err, "is given twice"));
  // The name of a file may have an = in it.
  const std::string odd = dir.write("n=3.mtx", small_mtx);
  ASSERT_EQ(run({odd}).code, 0);
  EXPECT_EQ(read()["results"][0]["matrix"], "n=3");
}

TEST_F(Bench, NeverWritesOverWhatItReads) {
  const std::string graph = dir.write("g.csv", "1 2\n2 3\n");
  const Outcome o = nonzero(quick({graph, "--csv", dir("./g.csv")}));
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "MATRIX and --csv both name")) << o.err;
  EXPECT_EQ(nonzero(quick({"name=" + graph, "--csv", graph})).code, 2);
  EXPECT_EQ(read_file(graph), "1 2\n2 3\n");
}

TEST_F(Bench, SourcesSelectKernels) {
  const std::string matrix = dir.write("a.mtx", small_mtx);
  const Outcome o = nonzero(quick({matrix, "--source", "esb", "--ops", "N", "--json", record}));
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  ASSERT_EQ(read()["results"].size(), 1u) << "no plan either";
  EXPECT_EQ(read()["results"][0]["kernel"], "cpu/esb/slices");
  ASSERT_EQ(nonzero(quick({matrix, "--kernels", "plan,cpu/esb/*", "--source", "esb", "--ops", "N",
                           "--json", record}))
                .code,
            0);
  EXPECT_EQ(read()["results"].size(), 1u) << "nor a plan that was named";
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    std::vector<std::string> all{matrix};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Outcome bad = nonzero(quick(all));
    EXPECT_EQ(bad.code, 2);
    EXPECT_TRUE(has(bad.err, why)) << bad.err;
  };
  refused({"--kernels", "cpu/csr/*", "--source", "esb"}, "--source esb leaves no kernel");
  refused({"--source", "csr5"}, "gpu/csr5/tiles needs --device cuda");
  refused({"--source", "esb,csr55"}, "no kernel has 'csr55' in its source");
  refused({"--kernels", "plan", "--source", "own"}, "a plan has no source");
}

TEST_F(Bench, WhatAKernelDeclinesStaysWithItsReason) {
  const Outcome o = nonzero(quick({"gen:rmat:scale=9", "--kernels", "cpu/dia/serial,cpu/csr/serial",
                                   "--ops", "N", "--json", record}));
  ASSERT_EQ(o.code, 0) << "a refusal is no failure: " << o.err;
  const json r = read()["results"];
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(r[0]["kernel"], "cpu/csr/serial");
  EXPECT_EQ(r[1]["status"], "refused");
  EXPECT_TRUE(has(r[1]["reason"], "DIA: ")) << r[1];
  EXPECT_TRUE(r[1]["median_s"].is_null());
  EXPECT_TRUE(r[1]["samples_s"].empty());
  EXPECT_TRUE(has(o.out, "refused: DIA: ")) << o.out;
}

TEST_F(Bench, TheTableFitsTheScreen) {
  const Outcome o = nonzero(quick({"gen:grid:nx=30,ny=30"}));
  ASSERT_EQ(o.code, 0) << o.err;
  std::size_t begin = 0;
  for (std::size_t end; (end = o.out.find('\n', begin)) != o.out.npos; begin = end + 1) {
    const std::string line = o.out.substr(begin, end - begin);
    EXPECT_TRUE(line.size() <= 110 || has(line, "refused")) << line;
  }
}

TEST_F(Bench, SerialKernelsAreMeasuredOnOneThreadOnly) {
  const Outcome o = nonzero(quick({"gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial", "--ops",
                                   "N", "--threads", "1,2", "--json", record}));
  ASSERT_EQ(o.code, 0) << o.err;
  ASSERT_EQ(read()["results"].size(), 1u);
  EXPECT_EQ(read()["results"][0]["threads"], 1);
}

TEST_F(Bench, GoesOnWithARecord) {
  const std::vector<std::string> first{"gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial",
                                       "--json", record};
  ASSERT_EQ(nonzero(quick(first)).code, 0);
  json before = read();
  ASSERT_EQ(before["results"].size(), 2u);
  // A mark that only the old result can carry.
  before["results"][0]["reason"] = "kept";
  dir.write("record.json", before.dump());
  const std::vector<std::string> more{"gen:grid:nx=9,ny=9",
                                      "gen:fem:nx=3,ny=3,nz=3",
                                      "--kernels",
                                      "cpu/csr/serial,cpu/coo/serial",
                                      "--json",
                                      record,
                                      "--resume"};
  const Outcome o = nonzero(quick(more));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.err, "it has 2 results")) << o.err;
  const json after = read();
  EXPECT_EQ(after["results"].size(), 8u);
  EXPECT_EQ(after["results"][0]["reason"], "kept");
  std::set<std::string> cases;
  for (const json& r : after["results"])
    cases.insert(r["matrix"].get<std::string>() + r["kernel"].get<std::string>() +
                 r["op"].get<std::string>());
  EXPECT_EQ(cases.size(), 8u);
  // Nothing left to do: the matrix is not even made.
  const Outcome again = nonzero(quick(more));
  EXPECT_EQ(again.code, 0);
  EXPECT_FALSE(has(again.err, "generated")) << again.err;
  EXPECT_EQ(read()["results"], after["results"]);
  // Another commit made it: refused, and left as it is.
  before["commit"] = "0000000";
  dir.write("record.json", before.dump());
  const Outcome other = nonzero(quick(more));
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(has(other.err, "cannot resume: the record's commit is 0000000")) << other.err;
  EXPECT_EQ(read(), before);
  // Without a record there is nothing to go on with, and one to start.
  EXPECT_EQ(nonzero(quick({"gen:grid", "--resume"})).code, 2);
  EXPECT_EQ(nonzero(quick({"gen:grid:nx=4,ny=4", "--kernels", "cpu/csr/serial", "--resume",
                           "--json", dir("new.json")}))
                .code,
            0);
}

TEST_F(Bench, PinsItsThreadsWhenAsked) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const int cpus = CPU_COUNT(&allowed);
  const auto bench = [&](const std::string& threads, std::vector<std::string> more) {
    more.insert(more.begin(), {"gen:grid:nx=40,ny=40", "--kernels", "cpu/csr/balanced", "--threads",
                               threads, "--json", record});
    return nonzero(quick(more));
  };
  Outcome o = bench("1", {});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(read()["settings"]["pinned"], false) << "never unasked";
  // Not as many processors: said, recorded, measured all the same.
  o = bench(std::to_string(cpus + 1), {"--pin"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.err, "not pinned")) << o.err;
  EXPECT_EQ(read()["settings"]["pinned"], false);
  if (cpus < 2 || std::getenv("OMP_PROC_BIND") || std::getenv("GOMP_CPU_AFFINITY")) return;
  o = bench("1,2", {"--pin"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_FALSE(has(o.err, "not pinned")) << o.err;
  const json pinned = read();
  EXPECT_EQ(pinned["settings"]["pinned"], true);
  EXPECT_GE(pinned["machine"]["cpus"], cpus) << "not what is left of them to a pinned thread";
  EXPECT_EQ(pinned["results"].size(), 4u);
  // One record, one way.
  o = bench("1,2", {"--resume"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "the record's pinning of threads is on, here it is off")) << o.err;
  EXPECT_EQ(bench("1,2", {"--resume", "--pin"}).code, 0);
}

TEST_F(Bench, SuitesGiveNamesAndScales) {
  const std::string suite = dir.write("s.json", R"({"schema": "nonzero-suite/1", "name": "s",
    "matrices": [{"name": "one", "source": "gen:grid:nx=4,ny=4", "small": "gen:grid:nx=2,ny=2"},
                 {"name": "two", "source": "gen:grid:nx=5,ny=5", "small": "gen:grid:nx=3,ny=3"}]})");
  const std::vector<std::string> base{"--suite", suite, "--kernels", "cpu/csr/serial",
                                      "--ops",   "N",   "--json",    record};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return nonzero(quick(more));
  };
  ASSERT_EQ(with({}).code, 0);
  EXPECT_EQ(read()["results"][1]["matrix"], "two");
  EXPECT_EQ(read()["results"][1]["source"], "gen:grid:nx=5,ny=5");
  EXPECT_EQ(read()["results"][1]["rows"], 25);
  ASSERT_EQ(with({"--scale", "small", "--only", "t*"}).code, 0);
  ASSERT_EQ(read()["results"].size(), 1u);
  EXPECT_EQ(read()["results"][0]["rows"], 9);
  EXPECT_EQ(with({"--scale", "vast"}).code, 2);
  EXPECT_EQ(with({"--only", "x*"}).code, 2);
  EXPECT_EQ(with({"gen:grid", "gen:grid"}).code, 2) << "one name, two matrices";
}

TEST_F(Bench, ParametersReachTheKernels) {
  const Outcome o =
      nonzero(quick({"gen:grid:nx=9,ny=9", "--kernels", "cpu/sell/serial,cpu/csr/serial", "--ops",
                     "N", "--param", "chunk=2,4", "--json", record}));
  ASSERT_EQ(o.code, 0) << o.err;
  const json r = read()["results"];
  ASSERT_EQ(r.size(), 3u);
  EXPECT_EQ(r[1]["parameters"]["chunk"], 2);
  EXPECT_EQ(r[2]["parameters"]["chunk"], 4);
  EXPECT_TRUE(has(o.out, "chunk=4")) << o.out;
}

TEST_F(Bench, FitsTheBlocksToEachMatrix) {
  const auto bench = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"gen:fem:nx=4,ny=4,nz=4,block=3",
                                 "gen:block-band:n=200,block=5,density=0.1",
                                 "--kernels",
                                 "cpu/bsr/serial",
                                 "--ops",
                                 "N",
                                 "--json",
                                 record};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome o = nonzero(quick(all));
    EXPECT_EQ(o.code, 0) << o.err;
    return read()["results"];
  };
  const json r = bench({});
  ASSERT_EQ(r.size(), 2u);
  EXPECT_EQ(r[0]["parameters"]["block_rows"], 3);
  EXPECT_EQ(r[1]["parameters"]["block_rows"], 5);
  EXPECT_EQ(r[1]["parameters"]["block_cols"], 5);
  EXPECT_EQ(bench({"--resume"}), r) << "the same cases again";
  EXPECT_EQ(bench({"--resume", "--param", "block_rows=3", "--param", "block_cols=3"}).size(), 3u);
}

TEST_F(Bench, AWrongCommandLineFailsBeforeAnythingIsLoaded) {
  const std::vector<std::vector<std::string>> wrong{{"--ops", "X"},
                                                    {"--ops", "N,"},
                                                    {"--types", "f16"},
                                                    {"--threads", "0"},
                                                    {"--threads", "1,-2"},
                                                    {"--threads", "two"},
                                                    {"--kernels", "cpu/csr/seriel"},
                                                    {"--kernels", "gpu/no/*"},
                                                    {"--without", "*"},
                                                    {"--param", "chunk"},
                                                    {"--param", "chunk=x"},
                                                    {"--param", "no_such=1"},
                                                    {"--param", "chunk=0"},
                                                    {"--param", "block_rows=0"},
                                                    {"--param", "block_cols=-1"},
                                                    {"--noise", "-1"},
                                                    {"--time-limit", "-1"},
                                                    {"--resume"},
                                                    {"gen:gird"},
                                                    {"gen:grid:nx=-1"},
                                                    {"--profile", "--json", record},
                                                    {"--profile", "--kernels", "plan"}};
  for (std::vector<std::string> arguments : wrong) {
    const std::string what = arguments.front() + ' ' + arguments.back();
    arguments.insert(arguments.begin(), {"bench", "gen:grid:nx=20000,ny=20000"});
    const Outcome o = nonzero(arguments);
    EXPECT_EQ(o.code, 2) << what << ": " << o.err;
    EXPECT_TRUE(o.err.starts_with("nonzero: error: ")) << o.err;
    EXPECT_FALSE(has(o.err, "generated")) << o.err;
  }
  EXPECT_EQ(nonzero({"bench"}).code, 2);
  EXPECT_EQ(nonzero({"bench", "gen:grid:nx=20000,ny=20000", "/no/such.mtx"}).code, 3);
  EXPECT_TRUE(
      has(nonzero({"bench", "gen:grid", "--kernels", "cpu/csr/seriel"}).err, "cpu/csr/serial"))
      << "the nearest name";
  EXPECT_EQ(nonzero(quick({"gen:grid", "--json", "/no/such/folder/r.json"})).code, 3);
}

TEST_F(Bench, ProfileMultipliesOnceAndRecordsNothing) {
  const Outcome o =
      nonzero({"bench", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial", "--profile"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(
      has(o.out, "gen:grid:nx=9,ny=9 cpu/csr/serial f64 N on 1 thread: multiplied once in "))
      << o.out;
  EXPECT_TRUE(has(o.out, " f64 T ")) << o.out;
  EXPECT_FALSE(has(o.out, "median"));
}

TEST_F(Bench, HostCostTimesBothWaysOfACall) {
  const Outcome o = nonzero({"bench", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial",
                             "--host-cost", "--json", record});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "over a launch")) << o.out;
  const json matrix = read()["matrices"].at(0);
  EXPECT_FALSE(matrix.contains("launch_ns")) << "the CPU launches nothing";
  ASSERT_EQ(matrix["products"].size(), 2u);  // N and T
  for (const json& p : matrix["products"]) {
    EXPECT_EQ(p["kernel"], "cpu/csr/serial");
    EXPECT_GT(p["multiply_ns"], 0);
    EXPECT_GT(p["enqueue_ns"], 0);
  }
}

TEST_F(Bench, BatchesAreComparedWithSingleProducts) {
  const Outcome o = nonzero({"bench", "gen:grid:nx=7,ny=7", "--batch", "20", "--types", "f32,f64",
                             "--time-limit", "0.001", "--threads", "2", "--json", record});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "20 matrices with its structure on cpu, f32 N, 2 threads")) << o.out;
  const json all = read();
  EXPECT_EQ(all["batch"], 20);
  const json products = all["matrices"].at(0)["products"];
  ASSERT_EQ(products.size(), 4u);  // N and T of both types
  for (const json& p : products) {
    ASSERT_EQ(p["ways"].size(), 5u);
    EXPECT_EQ(p["ways"].at(0)["way"], "batch");
    EXPECT_GT(p["ways"].at(0)["gain_over_single"], 0);
    for (const json& way : p["ways"]) {
      EXPECT_EQ(way["status"], "ok");
      EXPECT_GT(way["median_s"], 0);
    }
  }
}

TEST_F(Bench, ComplexProductsOfPlansAndKernels) {
  const Outcome o = nonzero({"bench", "small=gen:grid:nx=7,ny=7", "--complex", "--types", "f32,f64",
                             "--time-limit", "0.001", "--threads", "2", "--json", record});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "small with complex values on cpu, c128 T, 2 threads")) << o.out;
  const json all = read();
  EXPECT_EQ(all["schema"], "nonzero-complex/1");
  const json products = all["matrices"].at(0)["products"];
  ASSERT_EQ(products.size(), 4u);  // N and T of both types
  for (const json& p : products) {
    ASSERT_GT(p["ways"].size(), 4u);
    EXPECT_EQ(p["ways"].at(0)["kernel"], p["op"] == "N" ? "plan/balanced/n" : "plan/balanced/t");
    EXPECT_TRUE(p["ways"].at(0).contains("plan"));
    for (const json& way : p["ways"]) {
      EXPECT_EQ(way["status"], "ok") << way;
      EXPECT_GT(way["hot_median_s"], 0);
    }
  }
}

TEST_F(Bench, JsonToStdoutIsTheRecordAlone) {
  const Outcome o =
      nonzero(quick({"gen:grid:nx=4,ny=4", "--kernels", "cpu/csr/serial", "--json", "-"}));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(json::parse(o.out)["results"].size(), 2u);
}

TEST_F(Bench, ShowsItsProgressOnATerminal) {
  const Outcome o = nonzero_on_terminal(
      {"bench", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial,cpu/coo/serial,cpu/csc/serial",
       "--noise", "0", "--time-limit", "0.2", "--max-samples", "100000", "--buffer", "1"});
  ASSERT_EQ(o.code, 0) << o.out;
  EXPECT_TRUE(has(o.out, "measuring gen:grid:nx=9,ny=9 cpu/")) << o.out;
  ASSERT_TRUE(has(o.out, "GFLOP/s")) << o.out;
  EXPECT_LT(o.out.rfind("█"), o.out.find("GFLOP/s")) << "gone when the table comes";
}

TEST_F(Bench, HelpHasExamples) {
  for (const char* command : {"bench", "compare"}) {
    const Outcome o = nonzero({command, "--help"});
    EXPECT_EQ(o.code, 0);
    EXPECT_TRUE(has(o.out, std::string("Examples:\n  nonzero ") + command)) << o.out;
  }
}

// One plain CSR for a whole table, named below it, so that its figures can be compared.
TEST_F(Bench, ATableHasOneBaseline) {
  const Outcome o = nonzero(quick({"gen:grid:nx=40,ny=40", "--kernels",
                                   "cpu/csr/serial,cpu/csr/omp-rows,cpu/csr/balanced", "--threads",
                                   "1,2", "--ops", "N", "--json", record}));
  ASSERT_EQ(o.code, 0) << o.err;
  std::string note = o.out;
  std::replace(note.begin(), note.end(), '\n', ' ');
  EXPECT_TRUE(has(note, "plain CSR (cpu/csr/omp-rows on 2 threads)")) << o.out;
  const json r = read();
  double baseline = 0;
  for (const json& one : r["results"])
    if (one["kernel"] == "cpu/csr/omp-rows" && one["threads"] == 2) baseline = one["median_s"];
  ASSERT_GT(baseline, 0);
  std::set<std::string> expected;
  for (const json& one : r["results"])
    expected.insert(fmt::format("{:.2f}", baseline / one["median_s"].get<double>()));
  std::istringstream in(o.out);
  int rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("cpu/csr/")) continue;
    ++rows;
    EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [&](const std::string& e) {
      return has(line, ' ' + e + ' ');
    })) << line;
  }
  EXPECT_GE(rows, 4);
}

TEST_F(Bench, ATableFoldsToTheTerminal) {
  const auto words = quick({"gen:grid:nx=40,ny=40", "--kernels", "cpu/csr/*", "--threads", "1"});
  const Outcome wide = nonzero(words), narrow = nonzero_on_terminal(words, {{"NO_COLOR", "1"}});
  ASSERT_EQ(narrow.code, 0) << narrow.out;
  const auto widest = [](const std::string& text) {
    std::size_t most = 0;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!has(line, "\033")) most = std::max(most, lab::display_width(line));
    }
    return most;
  };
  EXPECT_GT(widest(wide.out), 80u);
  EXPECT_LE(widest(narrow.out), 80u) << narrow.out;
  EXPECT_TRUE(has(narrow.out, "\n  ")) << "what has no room goes on below";
  EXPECT_LE(widest(nonzero(words, {{"COLUMNS", "60"}}).out), 60u);
}

}  // namespace
}  // namespace nz::test
