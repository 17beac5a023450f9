#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/devices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

const std::string grid = "gen:grid:nx=90,ny=60";

TEST(PlanCommand, ShowsChoiceTimesAndBreakEven) {
  const TempDir dir;
  const Outcome o = nonzero({"plan", grid, "--op", "both", "--json", dir("p.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* label :
       {"plan ", "memory ", "multiply ", "setup ", "pays ", "bits ", "candidate "})
    EXPECT_TRUE(has(o.out, std::string("\n") + label)) << label << o.out;
  const json r = json::parse(read_file(dir("p.json")));
  EXPECT_EQ(r["nnz"], 26700);
  EXPECT_EQ(r["effort"], "balanced");
  EXPECT_GT(r["multiply"]["n_s"], 0);
  EXPECT_GT(r["multiply"]["t_s"], 0);
  EXPECT_GT(r["setup"]["multiplies"], 0);
  EXPECT_EQ(r["plain"]["kernel"], "cpu/csr/balanced");
  EXPECT_GT(r["features"]["entries_seen"], 0);
  ASSERT_GE(r["candidates"].size(), 2u);
  EXPECT_EQ(r["candidates"][0]["kernel"], r["kernel"]);
  EXPECT_EQ(r["candidates"][0]["taken"], true);
  EXPECT_FALSE(r["candidates"].back()["why_not"].get<std::string>().empty());
}

TEST(PlanCommand, ThoroughTimesAndCanBeToldNotToRemember) {
  const TempDir dir;
  const auto from_cache = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"plan", grid, "--effort", "thorough", "--json", dir("p.json")};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome o = nonzero(all);
    EXPECT_EQ(o.code, 0) << o.err;
    const json r = json::parse(read_file(dir("p.json")));
    EXPECT_GT(r["candidates"][0]["measured_s"], 0);
    return r["from_cache"].get<bool>();
  };
  setenv("NONZERO_CACHE", dir("cache").c_str(), 1);
  EXPECT_FALSE(from_cache({"--no-cache"}));
  EXPECT_FALSE(from_cache({}));
  EXPECT_TRUE(from_cache({}));
  EXPECT_FALSE(from_cache({"--no-cache"}));
  unsetenv("NONZERO_CACHE");
}

// One kernel may be there with several parameters, on one thread and on several, say.
TEST(PlanCommand, CandidatesHaveNamesOfTheirOwn) {
  for (const char* matrix :
       {"gen:blocks:down=500,across=500,blocks=5000", "gen:grid:nx=60,ny=60"}) {
    const Outcome o = nonzero({"plan", matrix, "--op", "both", "--threads", "2"});
    ASSERT_EQ(o.code, 0) << o.err;
    std::istringstream in(o.out.substr(o.out.find("\ncandidate ")));
    std::set<std::string> names;
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("cpu/")) {
        const std::string name = line.substr(0, line.find("  "));
        EXPECT_TRUE(names.insert(name).second) << o.out;
      }
    EXPECT_GT(names.size(), 4u) << o.out;
  }
}

TEST(PlanCommand, SaysWhatIsWrong) {
  const auto said = [](std::vector<std::string> args, int code) {
    args.insert(args.begin(), {"plan", grid});
    const Outcome o = nonzero(args);
    EXPECT_EQ(o.code, code) << o.err;
    return o.err;
  };
  EXPECT_TRUE(has(said({"--effort", "lazy"}, 2),
                  "no effort 'lazy'; there are instant, balanced and thorough"));
  EXPECT_TRUE(has(said({"--memory-limit", "much"}, 2), "'much' is not a size"));
  EXPECT_TRUE(has(said({"--memory-limit", "5x"}, 2), "'5x' is not a size"));
  EXPECT_TRUE(has(said({"--store-transpose"}, 2), "--store-transpose needs --op both"));
  EXPECT_TRUE(has(said({"--one-copy"}, 2), "--one-copy needs --op both"));
  EXPECT_TRUE(has(said({"--op", "both", "--one-copy", "--store-transpose"}, 2),
                  "--store-transpose and --one-copy contradict each other"));
  EXPECT_TRUE(has(said({"--memory-limit", "1k"}, 4), "no kernel keeps this matrix in 1.0 KiB"));
  EXPECT_EQ(said({"--memory-limit", "0.5M"}, 0), "");
}

TEST(PlanCommand, RunsOnTheEmulator) {
  NZ_NEEDS_EMULATOR();
  const Outcome o = nonzero({"plan", "gen:grid:nx=20,ny=20", "--device", "emu", "--op", "T",
                             "--deterministic", "--type", "f32"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "gpu/csr/balanced of A^T")) << o.out;
  EXPECT_TRUE(has(o.out, "the same bits every time")) << o.out;
}

}  // namespace
}  // namespace nz::test
