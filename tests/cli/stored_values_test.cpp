// --store-values-as of run, plan, check and bench.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

constexpr const char* thirds =
    "%%MatrixMarket matrix coordinate real general\n"
    "3 3 4\n1 1 0.3333333333333333\n2 2 1\n3 1 -2.2\n3 3 70000\n";

TEST(StoredValues, RunStatesTheError) {
  const TempDir dir;
  const std::string a = dir.write("a.mtx", thirds);
  const Outcome o = nonzero({"run", a, "--store-values-as", "f32", "--json", "-"});
  ASSERT_EQ(o.code, 0) << o.err;
  const json r = json::parse(o.out);
  EXPECT_EQ(r["rounding"]["stored_as"], "f32");
  EXPECT_EQ(r["rounding"]["changed"], 2);
  EXPECT_EQ(r["head"][0], static_cast<double>(1.0f / 3));
  EXPECT_NE(nonzero({"run", a, "--store-values-as", "f32"}).out.find("values are stored as f32: 2"),
            std::string::npos);
  const Outcome exact = nonzero({"run", a, "--json", "-"});
  EXPECT_FALSE(json::parse(exact.out).contains("rounding"));
}

TEST(StoredValues, WhatDoesNotFitIsAnError) {
  const TempDir dir;
  const std::string a = dir.write("a.mtx", thirds);
  const Outcome large = nonzero({"run", a, "--type", "f32", "--store-values-as", "f16"});
  EXPECT_NE(large.code, 0);
  EXPECT_NE(large.err.find("70000 would be infinite as f16"), std::string::npos) << large.err;
  const Outcome other = nonzero({"run", a, "--store-values-as", "bf16"});
  EXPECT_NE(other.code, 0);
  EXPECT_NE(other.err.find("cannot be stored as bf16"), std::string::npos) << other.err;
}

TEST(StoredValues, CheckComparesWithTheRoundedMatrixAndSaysSo) {
  for (const std::string as : {"f32", "f16", "bf16"}) {
    const Outcome o =
        nonzero({"check", "gen:random:rows=60,cols=50,density=0.2", "--store-values-as", as});
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.out.find("Products are checked against the matrix of these rounded values."),
              std::string::npos)
        << o.out;
    EXPECT_NE(o.out.find("cpu/compact/balanced"), std::string::npos) << o.out;
    EXPECT_EQ(o.out.find("cpu/csr/"), std::string::npos) << o.out;
    EXPECT_EQ(o.out.find("cpu/packed/slices") != std::string::npos, as == "f32") << o.out;
  }
  const Outcome none = nonzero(
      {"check", "gen:grid:nx=5,ny=5", "--kernels", "cpu/csr/*", "--store-values-as", "f32"});
  EXPECT_NE(none.code, 0);
  EXPECT_NE(none.err.find("does not store values as f32"), std::string::npos) << none.err;
}

TEST(StoredValues, BenchAndPlanTakeThem) {
  const Outcome b = nonzero({"bench", "gen:random:rows=60,cols=50,density=0.2", "--kernels",
                             "cpu/compact/*", "--ops", "N", "--time-limit", "0.001", "--buffer",
                             "1", "--store-values-as", "bf16", "--json", "-"});
  ASSERT_EQ(b.code, 0) << b.err;
  const json r = json::parse(b.out);
  EXPECT_EQ(r["settings"]["store_values_as"], "bf16");
  EXPECT_EQ(r["results"][0]["type"], "f32");
  EXPECT_TRUE(r["results"][0]["matrix"].get<std::string>().ends_with(" as bf16"));
  const Outcome p = nonzero(
      {"plan", "gen:grid:nx=9,ny=9", "--type", "f32", "--store-values-as", "f16", "--json", "-"});
  ASSERT_EQ(p.code, 0) << p.err;
  EXPECT_EQ(json::parse(p.out)["kernel"], "cpu/compact/balanced");
  EXPECT_EQ(json::parse(p.out)["rounding"]["stored_as"], "f16");
}

TEST(Wide, FilesAreRefusedInOneLine) {
  const TempDir dir;
  const std::string a = dir.write(
      "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2148532224 1\n1 2148532224 1\n");
  for (const char* command : {"info", "run"}) {
    const Outcome o = nonzero({command, a});
    EXPECT_NE(o.code, 0);
    EXPECT_NE(o.err.find("2148532224 columns are more than 2147483647; the program takes no "
                         "larger ones"),
              std::string::npos)
        << o.err;
  }
}

}  // namespace
}  // namespace nz::test
