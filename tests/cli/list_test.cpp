#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/registry.hpp>

#include "lab/report/table.hpp"
#include "support/program.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

TEST(List, JsonHasTheKeysOfEveryKernel) {
  const Outcome o = nonzero({"list", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  const json listed = json::parse(o.out);
  ASSERT_TRUE(listed.is_array());
  json all = json::array();
  for (const json& k : listed)
    // Peers are where they are installed; plans are of the bench.
    if (k["device"] != "peer" && k["device"] != "plan") all.push_back(k);
  ASSERT_EQ(all.size(), kernels().size());
  const std::set<std::string> wanted{"id",       "device",  "runs_on",    "format",
                                     "strategy", "ops",     "types",      "deterministic",
                                     "source",   "summary", "parameters", "several_vectors"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const json& k = all[i];
    const Kernel& kernel = kernels()[i];
    std::set<std::string> keys;
    for (const auto& [key, value] : k.items()) keys.insert(key);
    EXPECT_EQ(keys, wanted);
    EXPECT_EQ(k["id"], kernel.id());
    EXPECT_EQ(k["several_vectors"], kernel.several);
    EXPECT_EQ(k["id"], k["device"].get<std::string>() + '/' + k["format"].get<std::string>() + '/' +
                           k["strategy"].get<std::string>());
    const bool here = k["runs_on"] == json({"cpu"});
    EXPECT_EQ(here, kernel.runs_on == Device::Kind::cpu) << k["runs_on"];
    if (kernel.supports(ValueType::c64)) {
      EXPECT_EQ(k["ops"], json({"N", "T", "H"}));
      EXPECT_EQ(k["types"], json({"f32", "f64", "c64", "c128"}));
    } else {
      EXPECT_EQ(k["ops"], kernel.transposes ? json({"N", "T"}) : json({"N"}));
      EXPECT_EQ(k["types"], json({"f32", "f64"}));
    }
    EXPECT_EQ(k["deterministic"], kernel.repeats(Op::none));
    EXPECT_FALSE(k["source"].get<std::string>().empty());
    ASSERT_EQ(k["parameters"].size(), kernel.parameters.size());
    for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
      EXPECT_EQ(k["parameters"][p]["name"], kernel.parameters[p].name);
      EXPECT_EQ(k["parameters"][p]["initial"], kernel.parameters[p].initial);
    }
  }
}

TEST(List, SourcesSelect) {
  const auto ids = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "list");
    arguments.emplace_back("--ids");
    return nonzero(arguments).out;
  };
  EXPECT_EQ(ids({"--source", "csr5"}), "gpu/csr5/tiles\n");
  EXPECT_EQ(ids({"gpu/*", "--source", "HOLA,Csr5"}), "gpu/csr/hola\ngpu/csr5/tiles\n");
  EXPECT_EQ(ids({"cpu/*", "--source", "koza,liu"}), "cpu/esb/slices\n");
  const Outcome none = nonzero({"list", "cpu/*", "--source", "csr5"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("--source csr5 leaves no kernel"), none.err.npos) << none.err;
  const Outcome unknown = nonzero({"list", "--source", "hola,csr55"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("no kernel has 'csr55' in its source"), unknown.err.npos)
      << unknown.err;
}

TEST(List, PatternsAndPartsSelect) {
  EXPECT_EQ(json::parse(nonzero({"list", "cpu/csr/serial", "--json"}).out).size(), 1u);
  EXPECT_EQ(json::parse(nonzero({"list", "--json", "cpu/c*/serial"}).out).size(), 3u);
  EXPECT_EQ(json::parse(nonzero({"list", "csr/", "--json", "-"}).out)[0]["format"], "csr");
  const Outcome none = nonzero({"list", "tpu/*"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("tpu/*"), none.err.npos);
}

// A plan runs on the CPU or on a device, under one name.
TEST(List, ShowsNothingTwice) {
  for (const char* pattern : {"*", "plan/*", "cpu/*"}) {
    std::istringstream in(nonzero({"list", pattern, "--ids"}).out);
    std::set<std::string> ids;
    for (std::string id; std::getline(in, id);) EXPECT_TRUE(ids.insert(id).second) << id;
    EXPECT_EQ(json::parse(nonzero({"list", pattern, "--json", "-"}).out).size(), ids.size());
  }
  const json plan = json::parse(nonzero({"list", "plan/balanced/n", "--json", "-"}).out);
  ASSERT_EQ(plan.size(), 1u);
  const auto places = plan[0]["runs_on"].get<std::vector<std::string>>();
  EXPECT_EQ(places.front(), "cpu");
  EXPECT_GT(places.size(), 1u) << plan;
  EXPECT_TRUE(has(nonzero({"list", "plan/balanced/n"}).out, "\nplan/balanced/n  cpu cuda"));
}

TEST(List, PlannedIsWhatPlansChooseFrom) {
  const Outcome all = nonzero({"list", "--planned", "--ids"});
  ASSERT_EQ(all.code, 0) << all.err;
  std::istringstream in(all.out);
  std::set<std::string> planned;
  for (std::string id; std::getline(in, id);) {
    EXPECT_TRUE(planned.insert(id).second) << id;
    EXPECT_EQ(match_kernels(id).size(), 1u) << id;
  }
  EXPECT_TRUE(planned.contains("cpu/csr/balanced"));
  EXPECT_FALSE(planned.contains("cpu/csr/serial"));
  const Outcome chosen = nonzero({"plan", "gen:grid:nx=300,ny=300", "--json", "-"});
  ASSERT_EQ(chosen.code, 0) << chosen.err;
  EXPECT_TRUE(has(chosen.out, "\"cpu/csr/balanced\"")) << chosen.out;
  // No kernel that a plan looks at is missing in the list.
  for (const Kernel& k : kernels()) {
    const bool looked_at = has(chosen.out, '"' + k.id() + '"');
    EXPECT_TRUE(!looked_at || planned.contains(k.id())) << k.id();
  }
  EXPECT_EQ(nonzero({"list", "serial", "--planned"}).code, 2);
}

// A last column that is too wide goes below, in the rows where it is.
TEST(List, TablesFoldWhereTheyMust) {
  lab::Table t({{"kernel"}, {"result"}});
  t.add({"cpu/csr/serial", "right"});
  t.add({"cpu/ell/serial", "refused: too many slots"});
  EXPECT_EQ(t.text(false, 30),
            "kernel          result\n"
            "cpu/csr/serial  right\n"
            "cpu/ell/serial\n"
            "  refused: too many slots\n");
  EXPECT_EQ(t.text(false, 39),
            "kernel          result\n"
            "cpu/csr/serial  right\n"
            "cpu/ell/serial  refused: too many slots\n");
}

TEST(List, TableNamesEveryKernel) {
  const std::string plain = nonzero({"list"}).out, markdown = nonzero({"list", "--markdown"}).out;
  EXPECT_TRUE(markdown.starts_with(
      "| kernel | ops | types | vectors | deterministic | source | summary |\n| --- |"))
      << markdown;
  for (const Kernel& k : kernels()) {
    EXPECT_NE(plain.find('\n' + k.id() + ' '), plain.npos) << k.id();
    EXPECT_NE(markdown.find("\n| `" + k.id() + "` | "), markdown.npos) << k.id();
  }
  EXPECT_EQ(std::count(markdown.begin(), markdown.end(), '\n'), 2 + std::ssize(kernels()));
}

// A terminal of 80 columns shows it without a broken line; the rest is in the long form.
TEST(List, FitsEightyColumns) {
  const Outcome o = nonzero({"list"});
  std::istringstream in(o.out);
  std::set<std::string> seen;
  for (std::string line; std::getline(in, line);) {
    EXPECT_LE(lab::display_width(line), 80u) << line;
    const std::string id = line.substr(0, line.find(' '));
    if (match_kernels(id).size() == 1) {
      EXPECT_TRUE(seen.insert(id).second) << id << " twice";
    }
  }
  EXPECT_GE(seen.size(), kernels().size());
  EXPECT_FALSE(has(o.out, "parameter of"));
  EXPECT_TRUE(has(nonzero({"list", "--long"}).out, "parameter of"));
  EXPECT_TRUE(has(nonzero({"list", "cpu/sell/serial"}).out, "parameter of"));
}

// The instruction set that was asked for is the one that is used, or an error: never another.
TEST(List, TakesTheInstructionSetItIsTold) {
  const Outcome unknown = nonzero({"list"}, {{"NONZERO_ISA", "nonsense"}});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err,
                  "NONZERO_ISA=nonsense: not portable, avx2, avx512-loads, avx512, neon or sve"));
  EXPECT_EQ(nonzero({"list"}, {{"NONZERO_ISA", "portable"}}).code, 0);
  int had = 0;
  for (const std::string isa : {"portable", "avx2", "avx512-loads", "avx512", "neon", "sve"}) {
    const Outcome o = nonzero({"bench", "gen:grid:nx=20,ny=20", "--kernels", "cpu/csr/balanced",
                               "--time-limit", "0", "--buffer", "1", "--json", "-"},
                              {{"NONZERO_ISA", isa}});
    if (o.code == 0) {
      EXPECT_TRUE(has(o.out, "\"isa\": \"" + isa + '"') || has(o.out, "\"isa\":\"" + isa + '"'));
      ++had;
    } else {
      EXPECT_EQ(o.code, 2);
      EXPECT_TRUE(has(o.err, "NONZERO_ISA=" + isa + ": this processor lacks it"));
    }
  }
  EXPECT_GE(had, 1);
}

}  // namespace
}  // namespace nz::test
