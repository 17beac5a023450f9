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
}

}  // namespace
}  // namespace nz::test
