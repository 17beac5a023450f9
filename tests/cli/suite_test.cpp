#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/generate.hpp>

#include "lab/bench/source.hpp"
#include "lab/bench/suite.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

// Suites by name, what they say when nobody else does, and matrices that are kept.
namespace nz::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::set<std::string> all(const Json& record, const char* key) {
  std::set<std::string> values;
  for (const Json& r : record["results"]) values.insert(r[key].get<std::string>());
  return values;
}

std::string suites() {
  std::string names;
  for (const std::string& name : lab::suite_names()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

TEST(BenchSuite, IsFoundByNameAndBringsItsOptions) {
  const TempDir dir;
  const Outcome o = nonzero({"bench", "--suite", "quick", "--scale", "small", "--only", "grid5,lp",
                             "--time-limit", "0", "--threads", "1", "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  const Json record = Json::parse(read_file(dir("r.json")));
  EXPECT_EQ(record["settings"]["suite"], "quick.json");
  EXPECT_EQ(record["settings"]["time_limit_s"], 0) << "said by hand";
  EXPECT_EQ(all(record, "matrix"), (std::set<std::string>{"grid5", "lp"}));
  EXPECT_EQ(all(record, "type"), (std::set<std::string>{"f32", "f64"}));
  EXPECT_EQ(all(record, "op"), (std::set<std::string>{"N", "T"}));
  const auto kernels = all(record, "kernel");
  EXPECT_TRUE(kernels.contains("cpu/csr/balanced"));
  EXPECT_FALSE(kernels.contains("cpu/csr/omp-rows")) << "is a paper's";
  EXPECT_FALSE(kernels.contains("peer/librsb/rsb"));
}

TEST(BenchSuite, WhatIsSaidGoesBeforeIt) {
  const TempDir dir;
  const Outcome o = nonzero({"bench", "--suite", "quick", "--scale", "small", "--only", "grid5",
                             "--kernels", "cpu/csr/serial", "--types", "f64", "--ops", "N",
                             "--json", dir("r.json"), "--time-limit", "0", "--threads", "1"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(Json::parse(read_file(dir("r.json")))["results"].size(), 1u);
}

TEST(BenchSuite, TheHelpPageNamesThemAll) {
  const Outcome help = nonzero({"bench", "--help"});
  ASSERT_GE(lab::suite_names().size(), 6u);
  EXPECT_NE(help.out.find(suites() + ";"), std::string::npos) << help.out;
}

TEST(BenchSuite, UnknownOnesAreNamed) {
  const Outcome o = nonzero({"bench", "--suite", "gpus"});
  EXPECT_EQ(o.code, 3);
  EXPECT_NE(o.err.find(suites()), std::string::npos) << o.err;
  const Outcome peers = nonzero({"bench", "gen:grid:nx=3,ny=3", "--kernels", "peer/no-such/*"});
  EXPECT_EQ(peers.code, 2) << peers.err;
}

// Draws a suite into a file and returns its name.
std::string drawn(const TempDir& dir, const std::string& script, const std::string& seed) {
  const std::string file = dir(script + seed + ".json");
  const std::string command = "python3 -B '" NZ_SOURCE_DIR "/scripts/" + script + "' " + seed;
  EXPECT_EQ(std::system((command + " >'" + file + "'").c_str()), 0);
  return file;
}

// Families of a suite that was drawn; its small matrices can be made.
std::set<std::string> families_of(const std::string& file) {
  std::set<std::string> families;
  for (const auto& m : lab::read_suite(file, "large").matrices) {
    EXPECT_NO_THROW(lab::check_source(m.source)) << m.source;
    families.insert(m.source.substr(0, m.source.find(':', 4)));
  }
  for (const auto& m : lab::read_suite(file, "small").matrices)
    EXPECT_GT(lab::load(m.source).matrix.nnz(), 0) << m.source;
  return families;
}

// The suites are what the scripts draw, and another seed draws one that can be read as well.
TEST(BenchSuite, DrawnIsWhatItsSeedGives) {
  if (std::system("python3 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const TempDir dir;
  EXPECT_EQ(read_file(drawn(dir, "draw_suite.py", "20261116")),
            read_file(NZ_SOURCE_DIR "/lab/bench/suites/drawn.json"));
  for (const char* seed : {"1", "2", "3"})
    EXPECT_EQ(families_of(drawn(dir, "draw_suite.py", seed)).size(), 10u);
}

TEST(BenchSuite, MidIsWhatItsSeedGives) {
  if (std::system("python3 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const TempDir dir;
  EXPECT_EQ(read_file(drawn(dir, "draw_mid.py", "20261117")),
            read_file(NZ_SOURCE_DIR "/lab/bench/suites/mid.json"));
  for (const char* seed : {"1", "2", "3", "4", "5", "6"}) {
    const std::string file = drawn(dir, "draw_mid.py", seed);
    EXPECT_EQ(families_of(file).size(), families().size() - 2) << "all but empty and halo";
    for (const auto& m : lab::read_suite(file, "large").matrices) {
      const MatrixSize size = estimate(m.source.substr(4));
      EXPECT_GE(size.nonzeros, 3e5) << m.source;
      EXPECT_LE(size.nonzeros, 2e7) << m.source;
    }
  }
}

TEST(BenchCache, KeepsMatricesForTheNextRun) {
  const TempDir dir;
  const std::vector<std::string> command = {
      "bench", "gen:rmat:scale=6,degree=4", "--kernels", "cpu/csr/serial", "--time-limit", "0"};
  const auto with = [&](std::vector<std::string> more,
                        const std::map<std::string, std::string>& environment = {}) {
    more.insert(more.begin(), command.begin(), command.end());
    return nonzero(more, environment);
  };
  const Outcome first = with({"--cache", dir("c")});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.err.find("generated in"), std::string::npos) << first.err;
  EXPECT_NE(first.err.find("into the cache"), std::string::npos) << first.err;
  const Outcome second = with({}, {{"NONZERO_CACHE", dir("c")}});
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_NE(second.err.find("from the cache"), std::string::npos) << second.err;
  EXPECT_EQ(second.err.find("generated in"), std::string::npos) << second.err;
  for (const auto& file : fs::directory_iterator(dir("c"))) fs::resize_file(file.path(), 100);
  const Outcome broken = with({"--cache", dir("c")});
  EXPECT_EQ(broken.code, 0) << broken.err;
  EXPECT_NE(broken.err.find("where a broken file was"), std::string::npos) << broken.err;
  const Outcome none = with({});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_NE(none.err.find("generated in"), std::string::npos) << none.err;
  EXPECT_EQ(none.err.find("cache"), std::string::npos) << none.err;
  EXPECT_EQ(with({"--cache", dir.write("file", "")}).code, 3);
}

TEST(BenchProfile, MultipliesAsOftenAsIsSaid) {
  const Outcome o = nonzero({"bench", "gen:grid:nx=3,ny=3", "--kernels", "cpu/coo/scatter", "--ops",
                             "N", "--profile", "--products", "7"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("gen:grid:nx=3,ny=3 cpu/coo/scatter f64 N on "), std::string::npos) << o.out;
  EXPECT_NE(o.out.find(": multiplied 7 times, each in "), std::string::npos) << o.out;
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1) << o.out;
}

}  // namespace
}  // namespace nz::test
