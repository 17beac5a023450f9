// What doctor finds, and how long it takes.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

TEST(Doctor, TestsItself) {
  const TempDir dir;
  const Outcome o = nonzero({"doctor", "--seconds", "3", "--json", dir("d.json")});
  EXPECT_EQ(o.code, 0) << o.err << o.out;
  for (const char* label : {"machine ", "memory ", "built ", "vectors ", "CUDA ", "emulator ",
                            "peers ", "bandwidth ", "self test "})
    EXPECT_TRUE(has('\n' + o.out, std::string("\n") + label)) << label << o.out;
  EXPECT_TRUE(has(o.out, "all right")) << o.out;
  const json r = json::parse(read_file(dir("d.json")));
  EXPECT_EQ(r["self_test"]["right"], true);
  EXPECT_GT(r["self_test"]["kernels"], 0);
  EXPECT_GT(r["self_test"]["products"], 0);
  // Each once, however many matrices it was tested on.
  const json planned = json::parse(nonzero({"list", "--planned", "--json", "-"}).out);
  EXPECT_LE(r["self_test"]["kernels"].get<std::size_t>() +
                r["self_test"]["not_tested"].get<std::size_t>(),
            planned.size());
  EXPECT_GT(r["bandwidth"]["read_bytes_per_second"], 1e8);
  // Whatever is missing comes with how to get it.
  for (const json& m : r["missing"]) {
    EXPECT_FALSE(m["how"].get<std::string>().empty()) << m;
    const auto first_words = [](const std::string& text) { return text.substr(0, 20); };
    EXPECT_TRUE(has(o.out, first_words(m["what"]))) << o.out;
    EXPECT_TRUE(has(o.out, first_words(m["how"]))) << o.out;
  }
}

TEST(Doctor, KeepsToItsTime) {
  const Outcome o = nonzero({"doctor", "--seconds", "0", "--json", "-"});
  ASSERT_EQ(o.code, 0) << o.err;
  const json test = json::parse(o.out)["self_test"];
  EXPECT_EQ(test["kernels"], 0) << "no time for any";
  EXPECT_GT(test["not_tested"], 0);
}

TEST(Doctor, QuickMeasuresNothing) {
  const Outcome o = nonzero({"doctor", "--quick", "--json", "-"});
  ASSERT_EQ(o.code, 0) << o.err;
  const json r = json::parse(o.out);
  EXPECT_TRUE(r["self_test"].is_null());
  EXPECT_TRUE(r["bandwidth"].is_null());
  const bool gpu = has(nonzero({"devices", "--quick"}).out, "cuda:0");
  const auto names_gpu = [](const json& m) { return has(m["what"], "no GPU"); };
  EXPECT_EQ(std::any_of(r["missing"].begin(), r["missing"].end(), names_gpu), !gpu);
}

TEST(Doctor, TakesAMinuteAtMost) {
  EXPECT_EQ(nonzero({"doctor", "--seconds", "61"}).code, 2);
  EXPECT_EQ(nonzero({"doctor", "--seconds", "-1"}).code, 2);
}

}  // namespace
}  // namespace nz::test
