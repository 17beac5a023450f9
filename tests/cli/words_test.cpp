// What is said of names, options and files in words that help whoever typed them.
#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;
const std::string header = "%%MatrixMarket matrix coordinate real general\n";

void expect_said(const Words& command, int code, const std::string& said) {
  const Outcome o = nonzero(command);
  EXPECT_EQ(o.code, code) << o.err;
  EXPECT_TRUE(has(o.err, said)) << o.err;
}

TEST(Words, MatricesHaveNamesInFiguresAndWherePeopleChooseThem) {
  const TempDir dir;
  const std::string bus = dir.write("bus_7.mtx", header + "2 2 2\n1 1 1\n2 2 2\n");
  for (const char* command : {"solve", "pagerank", "stationary"}) {
    const Words call{command, bus, "--plot", dir("p.svg"), "--max-iterations", "5", "--quiet"};
    nonzero(call);
    const std::string figure = read_file(dir("p.svg"));
    EXPECT_TRUE(has(figure, "bus_7")) << command;
    EXPECT_FALSE(has(figure, dir(""))) << command;
    EXPECT_FALSE(has(figure, "bus_7.mtx")) << command;
  }
  for (const char* command : {"solve", "info", "run", "plan", "check"}) {
    const Outcome o = nonzero({command, "bus=" + bus});
    EXPECT_EQ(o.code, 0) << command << o.err;
    if (std::string(command) != "run") {
      EXPECT_TRUE(has(o.out, "bus (") || has(o.out, "bus:") || o.out.starts_with("bus\n")) << o.out;
    }
  }
  // What is read is not overwritten, whatever it is called.
  EXPECT_EQ(nonzero({"solve", "bus=" + bus, "-o", bus}).code, 2);
}

TEST(Words, FiguresCountAsTheTerminalDoes) {
  const TempDir dir;
  const std::string skew = dir.write("skew.mtx", header + "2 2 3\n1 1 1\n1 2 5\n2 2 1\n");
  const Outcome o = nonzero({"solve", skew, "--method", "cg", "--plot", dir("p.svg")});
  EXPECT_TRUE(has(o.out, "counting from 1")) << o.out;
  EXPECT_FALSE(has(read_file(dir("p.svg")), "counting from 0"));
}

TEST(Words, InfiniteValuesAreWhereTheFileHasThem) {
  const TempDir dir;
  const std::string a = dir.write("a.mtx", header + "2 2 2\n1 1 1\n2 2 70000\n");
  for (const char* command : {"run", "plan"})
    expect_said({command, a, "--type", "f32", "--store-values-as", "f16"}, 3,
                "row 2, column 2 (counting from 1): 70000 would be infinite as f16");
  const Outcome bench =
      nonzero({"bench", a, "--types", "f32", "--store-values-as", "f16", "--kernels",
               "cpu/csr/serial", "--buffer", "1", "--json", dir("r.json")});
  EXPECT_TRUE(has(bench.out, "row 2, column 2")) << bench.out;
  EXPECT_FALSE(has(bench.out, "0 x 0")) << bench.out;
  EXPECT_EQ(json::parse(read_file(dir("r.json")))["index_base"], 0);
}

TEST(Words, PipesAreReadAsAWhole) {
  const TempDir dir;
  const std::string pipe = dir("pipe");
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {pipe, header + "2 2 2\n1 1 1\n2 2 2\n"}, {"edges:" + pipe, "0 1\n1 0\n"}}) {
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&, bytes = text] {
      const int fd = open(pipe.c_str(), O_WRONLY);
      (void)!write(fd, bytes.data(), bytes.size());
      close(fd);
    });
    const Outcome o = nonzero({"info", name});
    writer.join();
    unlink(pipe.c_str());
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(has(o.out, "2 x 2")) << o.out;
  }
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    const int fd = open(pipe.c_str(), O_WRONLY);
    (void)!write(fd, "0 1\n1 0\n", 8);
    close(fd);
  });
  const Outcome o = nonzero({"info", pipe});
  writer.join();
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "an edge list is edges:" + pipe)) << o.err;
}

TEST(Words, OptionsAreNamedInsteadOfTheLibrary) {
  const TempDir dir;
  expect_said({"info", dir.write("n.mtx", header + "1 1 1\n1 1 nan\n")}, 3, "; --allow-nan takes");
  expect_said({"info", dir.write("n.txt", "0 1 inf\n")}, 3, "; --allow-nan takes");
  // Not where it was given, as among integers, nor for a vector.
  const std::string whole = dir.write("i.mtx",
                                      "%%MatrixMarket matrix coordinate integer general\n"
                                      "1 1 1\n1 1 nan\n");
  const Outcome given = nonzero({"info", whole, "--allow-nan"});
  EXPECT_EQ(given.code, 3);
  EXPECT_FALSE(has(given.err, "--allow-nan")) << given.err;
  const std::string x = dir.write("x.mtx", "%%MatrixMarket matrix array real general\n1 1\nnan\n");
  const Outcome vector = nonzero({"run", "gen:diagonal:n=1", "--x", x});
  EXPECT_EQ(vector.code, 3);
  EXPECT_TRUE(has(vector.err, "found 'nan'")) << vector.err;
  EXPECT_FALSE(has(vector.err, "--allow-nan")) << vector.err;
  expect_said({"info", dir.write("h.mtx", header + "2000000000 9 1\n1 1 1\n")}, 3,
              "; --memory-limit with more allows it");
  expect_said({"plan", dir.write("c.mtx",
                                 "%%MatrixMarket matrix coordinate complex general\n"
                                 "1 1 1\n1 1 1 1\n")},
              3, "this command takes real ones alone");
  expect_said({"info", dir.write("b.mtx", "\xef\xbb\xbf" + header + "1 1 1\n1 1 1\n")}, 3,
              "it begins with a byte order mark");
  expect_said({"tune", "--seconds", "-1"}, 2, "--seconds: -1 is not above 0");
  expect_said({"gen", "grid", "--output"}, 2, "--output needs a value");
  expect_said({"info", "-dash.mtx"}, 2, "a file of that name is ./-dash.mtx");
  const Outcome foo = nonzero({"--foo"});
  EXPECT_EQ(foo.code, 2);
  EXPECT_EQ(foo.err, "nonzero: error: no option --foo; 'nonzero --help' shows what there is\n");
  const Outcome missing = nonzero({"info", "edges:missing.txt"});
  EXPECT_FALSE(has(missing.err, "gen:")) << missing.err;
}

TEST(Words, RanksOfAnEdgeListSayWhatTheFileCountsFromFirst) {
  const TempDir dir;
  const Outcome o = nonzero({"pagerank", dir.write("g.txt", "0 1\n")});
  EXPECT_TRUE(has(o.out, "(2 nodes, 1 edge)")) << o.out;
  EXPECT_LT(o.out.find("node 1 here is its node 0"), o.out.find("rank\n")) << o.out;
}

TEST(Words, ChainsBelowZeroAreNotToBeNormalised) {
  const TempDir dir;
  const std::string chain = dir.write("n.mtx", header + "2 2 2\n1 2 -1\n2 1 1\n");
  const Outcome o = nonzero({"stationary", chain});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.out, "--normalise refuses them, too")) << o.out;
  expect_said({"stationary", chain, "--normalise"}, 3, "n.mtx: row 1 (counting from 1) has -1");
}

}  // namespace
}  // namespace nz::test
