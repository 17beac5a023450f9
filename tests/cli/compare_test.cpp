#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

json result(const char* matrix, const char* kernel, double seconds, const char* op = "N",
            int threads = 1) {
  return {{"matrix", matrix}, {"kernel", kernel},   {"op", op},           {"type", "f64"},
          {"status", "ok"},   {"threads", threads}, {"median_s", seconds}};
}

class Compare : public testing::Test {
 protected:
  const TempDir dir;
  std::string record(const char* name, const std::vector<json>& results) const {
    return dir.write(name, json{{"schema", "nonzero-bench/1"}, {"results", results}}.dump());
  }
};

TEST_F(Compare, TwoRecords) {
  const std::string a = record("a.json", {result("m", "cpu/k/one", 2), result("n", "cpu/k/one", 3),
                                          result("m", "cpu/k/gone", 1)});
  const std::string b = record("b.json", {result("m", "cpu/k/one", 1), result("n", "cpu/k/one", 4),
                                          result("m", "cpu/k/new", 1)});
  const Outcome o = nonzero({"compare", a, b, "--json", dir("c.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "Losses, more than 5 % slower:\n  0.75  n f64 N: ")) << o.out;
  EXPECT_TRUE(has(o.out, "Only in the first record:\n  m cpu/k/gone N f64 1\n")) << o.out;
  EXPECT_TRUE(has(o.out, "Only in the second record:\n  m cpu/k/new N f64 1\n")) << o.out;
  const json c = json::parse(read_file(dir("c.json")));
  EXPECT_EQ(c["pairs"].size(), 2u);
  EXPECT_EQ(c["pairs"][0]["ratio"], 2);
  const json& all = c["summary"].back();
  EXPECT_NEAR(all["geomean"], 1.2247448713915890, 1e-12);
  EXPECT_EQ(all["worst"], 0.75);
  EXPECT_EQ(all["worst_matrix"], "n");
  EXPECT_EQ(all["losses"], 1);
  const Outcome some = nonzero({"compare", a, b, "--only", "m", "--kernels", "*/one"});
  EXPECT_EQ(some.code, 0);
  EXPECT_TRUE(has(some.out, "No losses")) << some.out;
  EXPECT_FALSE(has(some.out, "Only in")) << some.out;
}

// As in bench, plan stands for what a plan chose, whatever its kernel is.
TEST_F(Compare, OursMayBeWhatAPlanChose) {
  json chosen = result("m", "cpu/k/chosen", 2);
  chosen["planned"] = true;
  const std::string a =
      record("a.json", {chosen, result("m", "cpu/k/other", 1), result("m", "cpu/csr/serial", 4)});
  const auto pairs = [&](const std::string& peers) {
    const Outcome o =
        nonzero({"compare", a, "--ours", "plan", "--peers", peers, "--json", dir("c.json")});
    EXPECT_EQ(o.code, 0) << o.err;
    return json::parse(read_file(dir("c.json")))["pairs"];
  };
  const json serial = pairs("cpu/csr/*");
  ASSERT_EQ(serial.size(), 1u);
  EXPECT_EQ(serial[0]["kernel"], "cpu/k/chosen");
  EXPECT_EQ(serial[0]["ratio"], 2);
  EXPECT_EQ(pairs("cpu/*").size(), 2u) << "it is no peer of itself";
  const std::string b = record("b.json", {result("m", "cpu/k/other", 1)});
  const auto expect_hint = [&](const std::string& file, const std::string& hint) {
    const Outcome o = nonzero({"compare", file, "--ours", "plan", "--peers", "cpu/*"});
    EXPECT_EQ(o.code, 3);
    EXPECT_TRUE(has(o.err, "one of 'plan' and one of 'cpu/*'" + hint + "\n")) << o.err;
  };
  expect_hint(b, "; bench --kernels plan,... measures what a plan chooses");
  expect_hint(record("c.json", {result("m", "plan/balanced/n", 1), result("m", "cpu/k/one", 1)}),
              "; its whole plans are --ours 'plan/*'");
  expect_hint(record("d.json", {chosen}), "");
}

TEST_F(Compare, OursWithThePeersOfOneRecord) {
  const std::string a =
      record("a.json", {result("m", "cpu/k/slow", 3), result("m", "cpu/k/fast", 1),
                        result("m", "peer/x/csr", 2), result("m", "peer/y/csr", 4, "N", 8),
                        result("n", "cpu/k/fast", 2), result("n", "peer/x/csr", 1),
                        result("m", "cpu/k/fast", 1, "T")});
  const Outcome o = nonzero({"compare", a, "--json", dir("c.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "  0.50  n f64 N: cpu/k/fast 2.00 s, peer/x/csr 1.00 s\n")) << o.out;
  EXPECT_TRUE(has(o.out, "m f64 T: no time of a peer")) << o.out;
  const json s = json::parse(read_file(dir("c.json")))["summary"];
  ASSERT_EQ(s.size(), 3u);
  EXPECT_EQ(s[0]["what"], "f64 N against the best peer");
  EXPECT_EQ(s[0]["cases"], 2);
  EXPECT_EQ(s[0]["geomean"], 1) << "twice as fast once, half as fast once";
  EXPECT_EQ(s[1]["what"], "f64 N against peer/x/csr");
  EXPECT_EQ(s[2]["what"], "f64 N against peer/y/csr");
  EXPECT_EQ(s[2]["geomean"], 4);
  const Outcome chosen = nonzero({"compare", a, "--ours", "cpu/k/slow", "--peers", "peer/x/*"});
  EXPECT_TRUE(has(chosen.out, "0.67")) << chosen.out;
}

// A plan for one op beside kernels for both: what its choice loses, and one line for the other op.
TEST_F(Compare, PlansWithWhatTheyChooseFrom) {
  const std::string a =
      record("a.json", {result("m", "plan/balanced/n", 2), result("m", "plan/balanced/t", 3, "T"),
                        result("m", "gpu/csr/a", 1), result("m", "gpu/csr/b", 4),
                        result("m", "gpu/csr/a", 6, "T"), result("n", "plan/balanced/n", 2),
                        result("n", "gpu/csr/b", 2), result("n", "gpu/csr/a", 5, "T"),
                        result("n", "plan/balanced/t", 5, "T"), result("m", "peer/x/csr", 8)});
  const auto summary = [&](const char* ours, const char* peers) {
    const Outcome o =
        nonzero({"compare", a, "--ours", ours, "--peers", peers, "--json", dir("c.json")});
    EXPECT_EQ(o.code, 0) << o.err;
    return std::pair{o.out, json::parse(read_file(dir("c.json")))["summary"][0]};
  };
  const auto [text, regret] = summary("plan/balanced/n", "gpu/*");
  EXPECT_EQ(regret["what"], "f64 N against the best peer");
  EXPECT_EQ(regret["cases"], 2);
  EXPECT_EQ(regret["worst"], 0.5);
  EXPECT_NEAR(regret["geomean"], std::sqrt(0.5), 1e-12);
  EXPECT_TRUE(has(text, "Not compared:\n  f64 T: no time of ours on any matrix\n\n")) << text;
  const auto turned = summary("plan/balanced/t", "gpu/*").second;
  EXPECT_EQ(turned["what"], "f64 T against the best peer");
  EXPECT_EQ(turned["worst"], 1);
  const auto [out, peer] = summary("plan/balanced/n", "peer/x/*");
  EXPECT_EQ(peer["geomean"], 4);
  EXPECT_TRUE(has(out, "  n f64 N: no time of a peer\n")) << out;
}

TEST_F(Compare, AgainstSomeOfThePeersAndTransposedOverPlain) {
  json shared = result("m", "gpu/bsr/a", 1);
  shared["bandwidth_share"] = 0.875;
  const std::string a =
      record("a.json", {shared, result("m", "gpu/bsr/a", 1.5, "T"), result("m", "peer/x/bsr-1", 4),
                        result("m", "peer/x/bsr-2", 3), result("m", "peer/x/sell", 0.5),
                        result("m", "peer/x/bsr-1", 6, "T"), result("n", "gpu/bsr/a", 1),
                        result("n", "peer/x/sell", 2), result("n", "gpu/bsr/a", 3, "T"),
                        result("n", "peer/x/sell", 3, "T")});
  const Outcome o = nonzero({"compare", a, "--against", "peer/x/bsr*", "--json", dir("c.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  const json c = json::parse(read_file(dir("c.json")));
  EXPECT_EQ(c["summary"][1]["what"], "f64 N against peer/x/bsr*");
  EXPECT_EQ(c["summary"][1]["cases"], 1) << "n has none of them";
  EXPECT_NEAR(c["summary"][1]["geomean"], 3, 1e-12) << "the better of the two";
  EXPECT_EQ(c["turned"]["cases"], 2);
  EXPECT_EQ(c["turned"]["worst"], 3);
  EXPECT_EQ(c["turned"]["worst_matrix"], "n");
  EXPECT_EQ(c["pairs"][0]["bandwidth_share"], 0.875);
  EXPECT_TRUE(has(o.out, "  0.50  m f64 N: gpu/bsr/a 1.00 s, peer/x/sell 500.00 ms\n")) << o.out;
  const Outcome page = nonzero({"compare", a, "--against", "peer/x/bsr*", "--markdown"});
  EXPECT_TRUE(has(page.out, "### f64 N\n\n| matrix | ours | time | of read | bsr* | ratio |"))
      << page.out;
  EXPECT_TRUE(has(page.out,
                  "| m | gpu/bsr/a | 1.00 s | 88 % | 3.00 s | 3.00 | peer/x/sell | 500.00 ms | "
                  "0.50 |  |\n"))
      << page.out;
  EXPECT_TRUE(has(page.out,
                  "| n | gpu/bsr/a | 3.00 s | - | - | - | peer/x/sell | 3.00 s | 1.00 | "
                  "3.00 |\n"))
      << page.out;
  EXPECT_TRUE(has(page.out, "\n- 0.50  m f64 N: ")) << page.out;
}

TEST_F(Compare, WhatCannotBeComparedIsSaid) {
  const std::string a = record("a.json", {result("m", "cpu/k/one", 2)});
  const std::string b = record("b.json", {result("n", "cpu/k/one", 1)});
  EXPECT_EQ(nonzero({"compare"}).code, 2);
  EXPECT_EQ(nonzero({"compare", a, b, a}).code, 2);
  EXPECT_EQ(nonzero({"compare", a, b}).code, 3);
  EXPECT_EQ(nonzero({"compare", a}).code, 3) << "no peer in it";
  EXPECT_EQ(nonzero({"compare", dir("none.json")}).code, 3);
  EXPECT_EQ(nonzero({"compare", dir.write("x.json", "{}")}).code, 3);
  // Not in the words of the library that reads JSON.
  // Versions of it count the byte that they stop at differently.
  EXPECT_TRUE(has(nonzero({"compare", dir.write("y.json", "letter")}).err,
                  "y.json: not JSON: wrong at byte "));
  EXPECT_TRUE(has(nonzero({"compare", dir.write("e.json", "")}).err, "e.json: it is empty\n"));
  const std::string whole = read_file(a);
  EXPECT_TRUE(has(nonzero({"compare", dir.write("h.json", whole.substr(0, 40))}).err,
                  "h.json: cut off after 40 B\n"));
  EXPECT_EQ(nonzero({"compare", a, b, "--ops", "Q"}).code, 2);
}

}  // namespace
}  // namespace nz::test
