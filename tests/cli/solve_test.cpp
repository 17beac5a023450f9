#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/io.hpp>

#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class Solve : public testing::Test {
 protected:
  const TempDir dir;
  const std::string matrix = dir.write("a.mtx", symmetric_mtx);
  const std::string data = NZ_SOURCE_DIR "/tests/data/solve/";
};

TEST_F(Solve, FromFileToFile) {
  const Outcome o = nonzero({"solve", matrix, "--rhs", "ones", "-o", dir("x.mtx"), "--history",
                             dir("h.csv"), "--plot", dir("p.svg"), "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  const Array<double> x = read_vector<double>(dir("x.mtx"));
  ASSERT_EQ(x.size(), 3u);
  const double exact[] = {1.5, 2, 1.5};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(x[i], exact[i], 1e-12);
  const json r = json::parse(text_of(dir("r.json")));
  EXPECT_EQ(r["reason"], "converged");
  EXPECT_LT(r["true_residual"], 1e-12);
  EXPECT_EQ(r["history"].size(), r["iterations"].get<std::size_t>() + 1);
  EXPECT_TRUE(text_of(dir("h.csv")).starts_with("iteration,residual\n0,1\n1,"));
  const std::string svg = text_of(dir("p.svg"));
  EXPECT_TRUE(has(svg, "<svg"));
  EXPECT_TRUE(has(svg, "converged after 2 iterations"));
  EXPECT_FALSE(has(o.err, "\r")) << "no live line where there is no terminal";
}

TEST_F(Solve, EveryMethodAndARightSideOfOnesOwn) {
  dir.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  for (const char* method : {"cg", "bicg", "bicgstab", "qmr", "gmres", "lsqr"}) {
    const Outcome o = nonzero({"solve", matrix, "--method", method, "--rhs", dir("b.mtx"), "-o",
                               dir("x.npy"), "--type", "f64"});
    ASSERT_EQ(o.code, 0) << method << o.err;
    const Array<double> x = read_vector<double>(dir("x.npy"));
    EXPECT_NEAR(x[0], 2.5, 1e-7) << method;
    EXPECT_NEAR(x[2], 3.5, 1e-7) << method;
  }
  const Outcome o = nonzero(
      {"solve", matrix, "--preconditioner", "block:2", "--type", "f32", "--tolerance", "1e-5"});
  EXPECT_EQ(o.code, 0) << o.err;
}

// As figures of reports are.
TEST_F(Solve, ThePlotIsDrawnAsAPaperWantsIt) {
  const std::vector<std::string> how{"--width", "80mm", "--font", "7", "--palette", "grey"};
  for (const auto& [command, title] : std::vector<std::pair<std::string, std::string>>{
           {"solve", ">cg on grid:"}, {"pagerank", ">PageRank of grid:"}}) {
    std::vector<std::string> words{command,  "gen:grid:nx=4,ny=4", "--plot", dir("p.svg"),
                                   "--json", dir("r.json")};
    if (command == "pagerank") words.emplace_back("--unweighted");
    ASSERT_EQ(nonzero(words).code, 0);
    const std::string usual = text_of(dir("p.svg"));
    EXPECT_TRUE(has(usual, title)) << usual;
    words.insert(words.end(), how.begin(), how.end());
    words.emplace_back("--no-title");
    ASSERT_EQ(nonzero(words).code, 0);
    const std::string drawn = text_of(dir("p.svg"));
    EXPECT_TRUE(has(drawn, "width=\"226.77")) << drawn.substr(0, 300);
    EXPECT_FALSE(has(drawn, "prefers-color-scheme"));
    EXPECT_FALSE(has(drawn, title));
  }
  EXPECT_EQ(nonzero({"solve", matrix, "--plot", dir("p.svg"), "--palette", "pink"}).code, 2);
  EXPECT_EQ(nonzero({"solve", matrix, "--plot", dir("p.svg"), "--width", "1furlong"}).code, 2);
}

TEST_F(Solve, FailuresHaveExitCodes) {
  const std::string skew = dir.write("skew.mtx",
                                     "%%MatrixMarket matrix coordinate real general\n"
                                     "2 2 3\n1 1 1\n1 2 5\n2 2 1\n");
  Outcome o = nonzero({"solve", skew, "--method", "cg", "-o", dir("x.mtx")});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(
      has(o.out, "CG needs a symmetric matrix: (1, 2) is 5 and (2, 1) is 0, counting from 1"))
      << o.out;
  EXPECT_TRUE(has(o.out, "not symmetric: try --method bicgstab")) << o.out;
  o = nonzero({"solve", matrix, "--method", "magic"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "there are cg, bicg, bicgstab, qmr, gmres, lsqr")) << o.err;
  for (const char* none : {"ilu", "block", "jacobi:2", "fsai:", "fsai:x", "chebyshev:0"})
    EXPECT_EQ(nonzero({"solve", matrix, "--preconditioner", none}).code, 2) << none;
  EXPECT_EQ(nonzero({"solve", matrix, "--plot", dir("p.bmp")}).code, 2);
  EXPECT_EQ(nonzero({"solve", matrix, "--tolerance", "-1"}).code, 2);
  for (const char* every : {"often", "3parsecs", "s", ""})
    EXPECT_TRUE(has(nonzero({"solve", matrix, "--every", every}).err,
                    "--every: '" + std::string(every) + "' is no time to wait; write 30s"))
        << every;
  EXPECT_EQ(nonzero({"solve", matrix, "--every", "0s"}).code, 2);
  EXPECT_EQ(nonzero({"solve", matrix, "--rhs", dir("none.mtx")}).code, 3);
  const std::string zero = dir.write("zero.mtx",
                                     "%%MatrixMarket matrix coordinate real general\n"
                                     "2 2 2\n1 2 1\n2 1 1\n");
  o = nonzero({"solve", zero, "--preconditioner", "jacobi"});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "Jacobi: row 1 (counting from 1) has a zero on the diagonal")) << o.err;
}

TEST_F(Solve, AnAnswerThatDoesNotHoldIsNone) {
  // The residual that CG carries along falls for ever, that of x only as far as rounding lets it.
  // The library says so, and the program what to do.
  const Outcome o = nonzero({"solve", "gen:grid:nx=120,ny=120", "--method", "cg", "--tolerance",
                             "1e-16", "--json", dir("r.json")});
  EXPECT_EQ(o.code, 1) << o.out << o.err;
  EXPECT_TRUE(has(o.out, ": x is not what the iteration takes it for")) << o.out;
  EXPECT_TRUE(has(o.out, "result    stagnated after ")) << o.out;
  EXPECT_TRUE(
      has(o.out, "try       --method gmres, or a larger --tolerance: f64 may get no nearer"))
      << o.out;
  const json r = json::parse(text_of(dir("r.json")));
  EXPECT_EQ(r["reason"], "stagnated");
  EXPECT_EQ(r["converged"], false);
  EXPECT_GT(r["residual"], 1e-16);
  // Rows have 5 entries, and |A| |x| is some 1e4 times |b|.
  EXPECT_NEAR(double(r["true_residual"]), double(r["residual"]), 1e4 * 8 * 1.2e-16);
  const Outcome single = nonzero({"solve", "gen:grid:nx=60,ny=60", "--type", "f32"});
  EXPECT_EQ(single.code, 1) << single.out << single.err;
  EXPECT_TRUE(has(single.out, ": x is not what the iteration takes it for")) << single.out;
  EXPECT_TRUE(has(single.out, "try       --type f64: f32 may get no nearer")) << single.out;
  const Outcome again = nonzero({"solve", "gen:grid:nx=60,ny=60", "--method", "gmres",
                                 "--tolerance", "1e-16", "--max-iterations", "20000"});
  EXPECT_EQ(again.code, 1) << again.out << again.err;
  EXPECT_TRUE(has(again.out, "try       a larger --tolerance: f64 may get no nearer")) << again.out;
}

TEST_F(Solve, PreconditionersByName) {
  for (const char* p : {"jacobi", "block:2", "fsai", "fsai:2", "chebyshev", "chebyshev:2", "spai0",
                        "spai1", "ic0", "ilu0"}) {
    const Outcome o =
        nonzero({"solve", "gen:grid:nx=12,ny=9", "--preconditioner", p, "--json", dir("r.json")});
    ASSERT_EQ(o.code, 0) << p << o.err << o.out;
    EXPECT_TRUE(has(o.out, std::string("precond.  ") + p + ", made in ")) << o.out;
    const json r = json::parse(text_of(dir("r.json")));
    EXPECT_EQ(r["preconditioner"], p);
    EXPECT_GT(r["preconditioner_seconds"], 0.0);
    EXPECT_LT(r["true_residual"], 1.01e-8);
  }
}

TEST_F(Solve, PreconditionersThatDoNotFitSayWhatDoes) {
  const std::string skew = dir.write("skew.mtx",
                                     "%%MatrixMarket matrix coordinate real general\n"
                                     "2 2 3\n1 1 1\n1 2 5\n2 2 1\n");
  Outcome o = nonzero({"solve", skew, "--preconditioner", "fsai"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "fsai is for symmetric matrices, this one is not: spai1 takes it"))
      << o.err;
  const std::string indefinite = dir.write("indefinite.mtx",
                                           "%%MatrixMarket matrix coordinate real symmetric\n"
                                           "2 2 3\n1 1 1\n2 1 3\n2 2 1\n");
  o = nonzero({"solve", indefinite, "--preconditioner", "fsai"});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "belongs to row 2 (counting from 1) is not: try --preconditioner spai1"))
      << o.err;
  o = nonzero({"solve", indefinite, "--preconditioner", "spai1", "--method", "gmres"});
  EXPECT_EQ(o.code, 0) << o.err << o.out;
  o = nonzero({"solve", matrix, "--preconditioner", "ic0", "--device", "emu"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "ic0 runs on the CPU alone, not on emu: fsai or chebyshev do")) << o.err;
}

TEST_F(Solve, ATerminalSeesTheResidualFall) {
  const Outcome o = nonzero_on_terminal({"solve", "gen:grid:nx=30,ny=30"});
  ASSERT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.out, "cg iteration 0, residual 1.000e+00")) << o.out;
  EXPECT_TRUE(has(o.out, "\r\033[K")) << "and takes it away";
}

TEST_F(Solve, PageRankShowsTheTop) {
  const Outcome o = nonzero({"pagerank", data + "graph.mtx", "--top", "3", "--json", dir("r.json"),
                             "-o", dir("ranks.mtx")});
  ASSERT_EQ(o.code, 0) << o.err;
  const Array<double> expected = read_vector<double>(data + "pagerank.mtx");
  const Array<double> ranks = read_vector<double>(dir("ranks.mtx"));
  ASSERT_EQ(ranks.size(), expected.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT_NEAR(ranks[i], expected[i], 1e-9);
  const json record = json::parse(text_of(dir("r.json")));
  const json top = record["top"];
  // Nodes of records count from 0, those that people read from 1.
  EXPECT_EQ(record["index_base"], 0);
  const auto first = top[0]["node"].get<std::size_t>();
  EXPECT_DOUBLE_EQ(ranks[first], top[0]["rank"].get<double>());
  EXPECT_TRUE(has(o.out, fmt::format(" {}  {:.6g}\n", first + 1, ranks[first]))) << o.out;
  EXPECT_TRUE(has(o.out, "Nodes count from 1")) << o.out;
  ASSERT_EQ(top.size(), 3u);
  EXPECT_GE(top[0]["rank"], top[1]["rank"]);
  for (const double e : expected) EXPECT_LE(e, top[0]["rank"].get<double>() + 1e-9);
}

TEST_F(Solve, PageRankOfSeveralPersonalisations) {
  // Three columns, in the order of Fortran; the second one is that of the test data.
  const Array<double> one = read_vector<double>(data + "personalisation.mtx");
  const std::size_t n = one.size();
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': True, 'shape': ({}, 3), }}", n);
  header.append(117 - header.size(), ' ');
  std::vector<double> people(3 * n, 1.0);
  std::copy(one.begin(), one.end(), people.begin() + static_cast<std::ptrdiff_t>(n));
  people[2 * n] = 1000;
  std::string bytes = std::string("\x93NUMPY\x01\x00v\x00", 10) + header + "\n";
  bytes.append(reinterpret_cast<const char*>(people.data()), people.size() * sizeof(double));
  const std::string seeds = dir.write("seeds.npy", bytes);
  const Outcome o = nonzero({"pagerank", data + "graph.mtx", "--personalisation", seeds, "--top",
                             "2", "--json", dir("r.json"), "-o", dir("all.npy")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "column    3 of 3")) << o.out;
  const std::string written = text_of(dir("all.npy"));
  ASSERT_EQ(written.size() % 8, (3 * n * sizeof(double)) % 8);
  std::vector<double> ranks(3 * n);
  std::memcpy(ranks.data(), written.data() + written.size() - 3 * n * sizeof(double),
              3 * n * sizeof(double));
  EXPECT_TRUE(has(written, fmt::format("'fortran_order': True, 'shape': ({}, 3)", n)));
  const char* expected[] = {"pagerank.mtx", "pagerank-personal.mtx"};
  for (std::size_t j = 0; j < 2; ++j) {
    const Array<double> x = read_vector<double>(data + expected[j]);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(ranks[j * n + i], x[i], 1e-9) << j;
  }
  const json top = json::parse(text_of(dir("r.json")))["top"];
  ASSERT_EQ(top.size(), 3u);
  ASSERT_EQ(top[2].size(), 2u);
  EXPECT_EQ(top[2][0]["node"], 0);
  EXPECT_DOUBLE_EQ(top[2][0]["rank"].get<double>(), ranks[2 * n]);
  // What is one vector cannot keep three.
  EXPECT_EQ(
      nonzero({"pagerank", data + "graph.mtx", "--personalisation", seeds, "-o", dir("all.mtx")})
          .code,
      2);
  EXPECT_EQ(nonzero({"pagerank", data + "graph.mtx", "--personalisation", seeds, "--checkpoint",
                     dir("c.npy")})
                .code,
            2);
}

TEST_F(Solve, StationaryOfAChain) {
  const Outcome o =
      nonzero({"stationary", data + "chain.mtx", "-o", dir("x.mtx"), "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  const Array<double> expected = read_vector<double>(data + "stationary.mtx");
  const Array<double> x = read_vector<double>(dir("x.mtx"));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-8);
  const json likeliest = json::parse(text_of(dir("r.json")))["likeliest"];
  const auto state = likeliest["state"].get<std::size_t>();
  EXPECT_DOUBLE_EQ(x[state], likeliest["probability"].get<double>());
  EXPECT_TRUE(has(o.out, fmt::format("state {} (counting from 1)", state + 1))) << o.out;
  EXPECT_EQ(nonzero({"stationary", matrix}).code, 1);
}

TEST_F(Solve, TheBenchRecordsWhatItMeasured) {
  const Outcome o = nonzero({"bench-solve", "--scale", "small", "--samples", "2", "--threads", "1",
                             "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  const json r = json::parse(text_of(dir("r.json")));
  EXPECT_EQ(r["schema"], "nonzero-solve/1");
  EXPECT_TRUE(r.contains("commit"));
  EXPECT_GT(r["read_bandwidth"], 0);
  ASSERT_EQ(r["results"].size(), 5u);
  for (const json& one : r["results"]) {
    EXPECT_EQ(one["status"], "ok") << one;
    EXPECT_EQ(one["samples_s"].size(), 2u);
    EXPECT_GT(one["iteration_s"], 0);
    EXPECT_GT(one["limit_s"], 0);
  }
  EXPECT_EQ(nonzero({"bench-solve", "--method", "magic"}).code, 2);
}

}  // namespace
}  // namespace nz::test
