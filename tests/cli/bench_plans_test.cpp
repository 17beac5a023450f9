#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/devices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

// Whole plans as rows of the bench.
namespace nz::test {
namespace {

using nlohmann::json;

TEST(BenchPlans, AreMeasuredForWhatTheyWereMadeFor) {
  NZ_NEEDS_EMULATOR();
  const TempDir dir;
  const Outcome o = nonzero({"bench", "gen:grid:nx=9,ny=7", "gen:lp:rows=20,cols=50", "--device",
                             "emu", "--kernels", "plan/*", "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  std::map<std::string, std::set<std::string>> ops;
  const json results = json::parse(read_file(dir("r.json")))["results"];
  for (const json& r : results) {
    const std::string kernel = r["kernel"];
    ops[kernel].insert(r["op"].get<std::string>());
    EXPECT_EQ(r["status"], "ok") << r;
    EXPECT_FALSE(r.contains("planned")) << "it is a plan";
    EXPECT_TRUE(r["plan"].get<std::string>().starts_with("gpu/")) << r["plan"];
    EXPECT_TRUE(has(o.out, r["plan"])) << o.out;
    EXPECT_GT(r["facts"]["predicted_us"], 0) << r;
    EXPECT_GT(r["facts"]["checking_s"], 0);
    EXPECT_GE(r["facts"]["looking_s"], 0);
    EXPECT_GE(r["facts"]["converting_s"], 0);
    if (kernel.starts_with("plan/thorough"))
      EXPECT_GT(r["facts"]["timed"], 0);
    else
      EXPECT_EQ(r["facts"]["timed"], 0) << "on the emulator predictions decide";
    EXPECT_GT(r["bytes"], 0);
    EXPECT_GT(r["prepared_bytes"], 0);
    const bool turned = has(r["plan"], " of A^T: ");
    const bool own_copy = r["facts"]["stores_transpose"] == 1;
    EXPECT_EQ(turned, own_copy ? r["op"] == "T" : r["facts"]["transposed"] == 1) << r;
    if (kernel != "plan/balanced/both") {
      EXPECT_FALSE(own_copy) << r;
    }
  }
  const std::map<std::string, std::set<std::string>> wanted{
      {"plan/balanced/n", {"N"}},         {"plan/balanced/t", {"T"}},
      {"plan/balanced/both", {"N", "T"}}, {"plan/balanced/one-copy", {"N", "T"}},
      {"plan/instant/n", {"N"}},          {"plan/thorough/n", {"N"}}};
  EXPECT_EQ(ops, wanted);
  EXPECT_EQ(results.size(), 2u * 8);
  // Nothing is missing: --resume has nothing to do.
  const Outcome again =
      nonzero({"bench", "gen:grid:nx=9,ny=7", "gen:lp:rows=20,cols=50", "--device", "emu",
               "--kernels", "plan/*", "--resume", "--json", dir("r.json")});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_FALSE(has(again.err, "generated in")) << again.err;
}

// The same rows on the CPU, on as many threads as were asked for.
TEST(BenchPlans, AreMeasuredOnTheCpu) {
  const TempDir dir;
  const Outcome o = nonzero({"bench", "gen:grid:nx=9,ny=7", "--kernels", "plan/balanced/*",
                             "--threads", "2", "--time-limit", "0.001", "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  std::set<std::string> cases;
  const json results = json::parse(read_file(dir("r.json")))["results"];
  for (const json& r : results) {
    cases.insert(r["kernel"].get<std::string>() + ' ' + r["op"].get<std::string>());
    EXPECT_EQ(r["status"], "ok") << r;
    EXPECT_EQ(r["device"], "cpu");
    EXPECT_EQ(r["threads"], 2);
    EXPECT_TRUE(r["plan"].get<std::string>().starts_with("cpu/")) << r["plan"];
    EXPECT_GT(r["median_s"], 0);
    EXPECT_GT(r["setup_s"], 0);
  }
  const std::set<std::string> wanted{"plan/balanced/n N",        "plan/balanced/t T",
                                     "plan/balanced/both N",     "plan/balanced/both T",
                                     "plan/balanced/one-copy N", "plan/balanced/one-copy T"};
  EXPECT_EQ(cases, wanted);
  EXPECT_EQ(results.size(), wanted.size());
}

TEST(BenchPlans, AreAskedForOrNotThere) {
  NZ_NEEDS_EMULATOR();
  EXPECT_TRUE(has(nonzero({"list"}).out, "\nplan/balanced/one-copy "));
  EXPECT_FALSE(has(nonzero({"list", "--markdown"}).out, "plan/balanced"));
  EXPECT_FALSE(has(nonzero({"list", "balanced"}).out, "plan/"));
  // "plan" alone is the kernel that a plan chooses, as ever.
  const TempDir dir;
  ASSERT_EQ(nonzero({"bench", "gen:grid:nx=4,ny=4", "--kernels", "plan", "--ops", "N", "--device",
                     "emu", "--json", dir("r.json")})
                .code,
            0);
  const json results = json::parse(read_file(dir("r.json")))["results"];
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0]["kernel"].get<std::string>().starts_with("gpu/"));
  EXPECT_EQ(results[0]["planned"], true);
  EXPECT_FALSE(results[0].contains("plan"));
  // Checked like any other where they are named.
  EXPECT_EQ(nonzero({"check", "gen:grid:nx=4,ny=4", "--kernels", "plan/*", "--device", "emu"}).code,
            0);
}

}  // namespace
}  // namespace nz::test
