#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/temp_dir.hpp"

// The bench with the scalars and the batches of others.
namespace nz::test {
namespace {

using nlohmann::json;

TEST(BenchScalars, AreThoseOfWhatIsTimedAndStandInTheRecord) {
  const TempDir dir;
  const std::string record = dir("record.json");
  const auto bench = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{
        "bench", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial", "--ops", "N", "--time-limit",
        "0",     "--buffer",           "1",         "--json",         record};
    all.insert(all.end(), more.begin(), more.end());
    return nonzero(all);
  };
  const auto read = [&] { return json::parse(read_file(record)); };
  Outcome o = bench({});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* key : {"alpha", "beta", "together"})
    EXPECT_FALSE(read()["settings"].contains(key)) << key << ", which nobody asked for";
  o = bench({"--alpha", "0.5", "--beta", "0.25", "--together", "7"});
  ASSERT_EQ(o.code, 0) << o.err;
  const json r = read();
  EXPECT_EQ(r["settings"]["alpha"], 0.5);
  EXPECT_EQ(r["settings"]["beta"], 0.25);
  EXPECT_EQ(r["settings"]["together"], 7);
  EXPECT_EQ(r["results"][0]["multiplies_a_sample"], 7);
  // One record, one way.
  o = bench({"--alpha", "0.5", "--together", "7", "--resume"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "the record's beta is 0.25, here it is the usual")) << o.err;
  o = bench({"--beta", "1", "--vectors", "2"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "one vector")) << o.err;
  const std::vector<std::vector<std::string>> others{
      {"--complex"}, {"--profile"}, {"--host-cost"}, {"--batch", "2"}};
  for (const std::vector<std::string>& more : others) {
    std::vector<std::string> arguments{"--together", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    o = bench(arguments);
    EXPECT_EQ(o.code, 2) << more.front();
    EXPECT_TRUE(has(o.err, "--together are of products")) << o.err;
  }
}

TEST(BenchRounds, AreOnTheCpu) {
  const TempDir dir;
  const auto bench = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"bench",         "gen:grid:nx=9,ny=9",
                                 "--kernels",     "cpu/csr/*",
                                 "--ops",         "N",
                                 "--time-limit",  "0",
                                 "--buffer",      "1",
                                 "--max-samples", "2",
                                 "--rounds",      "3"};
    all.insert(all.end(), more.begin(), more.end());
    return nonzero(all);
  };
  const std::string record = dir("record.json");
  ASSERT_EQ(bench({"--json", record}).code, 0);
  const json r = json::parse(read_file(record));
  EXPECT_EQ(r["settings"]["rounds"], 3);
  for (const json& one : r["results"]) EXPECT_EQ(one["samples_s"].size(), 6u) << one["kernel"];
  const std::string several = dir("several.json");
  ASSERT_EQ(bench({"--vectors", "1,2", "--layout", "rows,columns", "--json", several}).code, 0);
  for (const json& one : json::parse(read_file(several))["results"])
    EXPECT_EQ(one["samples_s"].size(), 6u) << one["kernel"];
  Outcome o = nonzero(
      {"bench", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial", "--json", record, "--resume"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "the record's rounds is 3, here it is the usual")) << o.err;
  const std::vector<std::vector<std::string>> others{
      {"--complex"}, {"--profile"}, {"--host-cost"}, {"--batch", "2"}};
  for (const std::vector<std::string>& more : others) {
    o = bench(more);
    EXPECT_EQ(o.code, 2) << more.front();
    EXPECT_TRUE(has(o.err, "--rounds is of products")) << o.err;
  }
  o = nonzero({"bench", "gen:grid:nx=9,ny=9", "--device", "emu", "--rounds", "3"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "--rounds is of products")) << o.err;
}

TEST(BenchComplex, RefusesWhatItWouldNotHeed) {
  const auto refused = [](const std::vector<std::string>& more, const char* because) {
    std::vector<std::string> all{"bench", "gen:grid:nx=9,ny=9", "--complex", "--time-limit", "0"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome o = nonzero(all);
    EXPECT_EQ(o.code, 2) << more.front();
    EXPECT_TRUE(has(o.err, because)) << o.err;
  };
  const std::vector<std::vector<std::string>> apart{
      {"--resume"},  {"--vectors", "2"}, {"--pin"},       {"--csv", "some.csv"},
      {"--profile"}, {"--host-cost"},    {"--batch", "2"}};
  for (const auto& more : apart) refused(more, "--complex is of single products");
  const std::vector<std::vector<std::string>> choices{{"--kernels", "cpu/csr/serial"},
                                                      {"--source", "own"},
                                                      {"--without", "cpu/csr/serial"},
                                                      {"--param", "grain=2"},
                                                      {"--store-values-as", "f32"}};
  for (const auto& more : choices) refused(more, "--complex takes every kernel");
}

// What is generated for it is there for the next run.
TEST(BenchComplex, KeepsMatricesInTheCache) {
  const TempDir dir;
  const Outcome o = nonzero({"bench", "gen:grid:nx=300,ny=300", "--complex", "--ops", "N",
                             "--types", "f32", "--time-limit", "0", "--cache", dir("kept")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_FALSE(std::filesystem::is_empty(dir("kept")));
}

// y is read where beta is not 0, and counted so: 81 rows of doubles.
TEST(BenchScalars, CountTheYThatIsRead) {
  const TempDir dir;
  const auto bytes = [&](const char* beta, const char* of) {
    const std::string record = dir(std::string("beta-") + beta + ".json");
    const Outcome o =
        nonzero({"bench", "gen:grid:nx=9,ny=9", "--kernels", "cpu/csr/serial", "--ops", "N",
                 "--time-limit", "0", "--buffer", "1", "--beta", beta, "--json", record});
    EXPECT_EQ(o.code, 0) << o.err;
    return json::parse(read_file(record))["results"][0][of].get<std::int64_t>();
  };
  for (const char* of : {"bytes", "csr_bytes"}) EXPECT_EQ(bytes("1", of) - bytes("0", of), 81 * 8);
}

}  // namespace
}  // namespace nz::test
