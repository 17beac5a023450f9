// "-" as the name of an output: data for the next program of a pipe, and nothing else on stdout.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class Stdout : public testing::Test {
 protected:
  const TempDir dir;
  const std::string matrix = dir.write("a.mtx", small_mtx);
  const std::string square = dir.write("s.mtx", symmetric_mtx);
  const std::string chain = dir.write(
      "c.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 .5\n1 2 .5\n2 1 1\n");

  // What would be in the file is on stdout, and what was on stdout is on stderr.
  void expect_as_file(const Words& command, const std::string& file, const std::string& text) {
    const Outcome one = nonzero(with(command, {file})), other = nonzero(with(command, {"-"}));
    ASSERT_EQ(one.code, 0) << one.err;
    ASSERT_EQ(other.code, 0) << other.err;
    EXPECT_EQ(other.out, read_file(file)) << command[0];
    EXPECT_TRUE(has(other.err, text)) << other.err;
    const Outcome quiet = nonzero(with(command, {"-", "--quiet"}));
    EXPECT_EQ(quiet.out, other.out);
    EXPECT_EQ(quiet.err, "");
  }
};

TEST_F(Stdout, HasMatrices) {
  expect_as_file({"gen", "grid", "nx=4", "ny=3", "-o"}, dir("g.mtx"),
                 "wrote to stdout: 12 x 12, 46 nonzeros in ");
  expect_as_file({"convert", matrix}, dir("b.mtx"), "wrote to stdout: 3 x 4, 5 nonzeros in ");
}

TEST_F(Stdout, HasVectors) {
  expect_as_file({"run", matrix, "-o"}, dir("y.mtx"), "|y|       5\n");
  expect_as_file({"run", matrix, "--type", "c64", "-o"}, dir("z.mtx"), "wrote to stdout: 3 ");
  expect_as_file({"solve", square, "-o"}, dir("x.mtx"), "|b - A x| / |b|");
  expect_as_file({"pagerank", chain, "-o"}, dir("p.mtx"), "rank");
  expect_as_file({"stationary", chain, "-o"}, dir("d.mtx"), "likeliest");
}

TEST_F(Stdout, HasTables) {
  expect_as_file({"solve", square, "--history"}, dir("h.csv"), "|b - A x| / |b|");
  const std::string record = dir("r.json");
  const Words bench{"bench", square,   "--kernels", "cpu/csr/serial", "--time-limit",
                    "0.001", "--json", record,      "--csv",          "-"};
  const Outcome o = nonzero(bench);
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(o.out.starts_with("record,commit,")) << o.out;
  EXPECT_TRUE(has(o.err, "cpu/csr/serial")) << o.err;
  expect_as_file({"report", record, "--csv"}, dir("r.csv"), "wrote to stdout");
  expect_as_file({"report", record, "-o"}, dir("r.html"), "wrote to stdout");
}

// Of several outputs one can have it; what is no text needs a file.
TEST_F(Stdout, IsNotForAll) {
  for (const Words& wrong : std::vector<Words>{
           {"run", matrix, "-o", "-", "--json", "-"},
           {"gen", "grid", "-o", "-", "--json", "-"},
           {"convert", matrix, "-", "--json", "-"},
           {"solve", square, "-o", "-", "--history", "-"},
       }) {
    const Outcome o = nonzero(wrong);
    EXPECT_EQ(o.code, 2) << wrong[0];
    EXPECT_EQ(o.out, "");
    EXPECT_TRUE(has(o.err, "are both -: only one of them can have stdout")) << o.err;
  }
  for (const Words& wrong : std::vector<Words>{{"spy", matrix, "-o", "-"},
                                               {"solve", square, "--plot", "-"},
                                               {"solve", square, "--checkpoint", "-"}})
    EXPECT_EQ(nonzero(wrong).code, 2) << wrong[0];
}

TEST_F(Stdout, HasNoTextForInfinity) {
  const Outcome o = nonzero({"run", matrix, "--alpha", "inf", "-o", "-"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "stdout: entry (1, 1) is inf: Matrix Market has no text for it")) << o.err;
}

TEST_F(Stdout, ThatNobodyReadsCostsNoFile) {
  for (const Words& command : std::vector<Words>{{"gen", "grid", "nx=99", "ny=99", "-o", "-"},
                                                 {"convert", "gen:grid:nx=99,ny=99", "-"},
                                                 {"run", "gen:grid:nx=99,ny=99", "-o", "-"},
                                                 {"solve", square, "-o", "-"}}) {
    const std::string record = dir(command[0] + ".json");
    const Outcome o = nonzero_into_closed_pipe(with(command, {"--json", record}));
    EXPECT_EQ(o.code, 0) << command[0] << o.err;
    EXPECT_TRUE(json::parse(read_file(record)).contains("nnz"));
  }
  const Outcome full = nonzero_into("/dev/full", {"gen", "grid", "-o", "-"});
  EXPECT_EQ(full.code, 3);
  EXPECT_TRUE(has(full.err, "stdout: cannot write: ")) << full.err;
}

}  // namespace
}  // namespace nz::test
