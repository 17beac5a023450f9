// The program looks at the matrix, says what it takes, and what to try where that fails.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/io.hpp>

#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;
const std::string header = "%%MatrixMarket matrix coordinate real general\n";

class Advice : public testing::Test {
 protected:
  const TempDir dir;
  const std::string definite = dir.write("spd.mtx", symmetric_mtx);
  const std::string skew = dir.write("skew.mtx", header + "2 2 3\n1 1 1\n1 2 5\n2 2 1\n");
  const std::string swap = dir.write("swap.mtx", header + "2 2 2\n1 2 1\n2 1 1\n");
  // Symmetric but for rounding, and for a zero that is stored on one side.
  const std::string rounded =
      dir.write("rounded.mtx", header + "3 3 5\n1 1 4\n1 2 1e-11\n1 3 0\n2 2 9\n3 3 1\n");
  const std::string tall = dir.write("tall.mtx", header + "3 2 4\n1 1 1\n2 2 1\n3 1 1\n3 2 1\n");
};

TEST_F(Advice, TheMethodFollowsFromTheMatrix) {
  const std::vector<std::pair<std::string, std::string>> expected{
      {definite, "cg"}, {rounded, "cg"}, {skew, "bicgstab"}, {swap, "gmres"}, {tall, "lsqr"}};
  for (const auto& [matrix, method] : expected) {
    const Outcome o = nonzero({"solve", matrix, "--json", dir("r.json")});
    EXPECT_EQ(o.code, 0) << method << o.err << o.out;
    EXPECT_TRUE(has(o.out, "method    " + method + ", ")) << o.out;
    const json r = json::parse(read_file(dir("r.json")));
    EXPECT_EQ(r["method"], method);
    EXPECT_TRUE(has(o.out, r["why_method"].get<std::string>())) << o.out;
    EXPECT_EQ(r["max_iterations"], 1000);
  }
  // Who says which gets it, without a reason.
  const Outcome said = nonzero({"solve", definite, "--method", "gmres", "--json", dir("r.json")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(json::parse(read_file(dir("r.json")))["why_method"], "");
}

TEST_F(Advice, NegativeDefiniteMatricesAreTurned) {
  const std::string below =
      dir.write("below.mtx", header + "2 2 4\n1 1 -2\n1 2 1\n2 1 1\n2 2 -2\n");
  const std::string b =
      dir.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n-5\n");
  for (const bool said : {false, true}) {
    std::vector<std::string> call{"solve", below, "--rhs",      b,        "--preconditioner",
                                  "fsai",  "-o",  dir("x.npy"), "--json", dir("r.json")};
    if (said) call.insert(call.end(), {"--method", "cg"});
    const Outcome o = nonzero(call);
    EXPECT_EQ(o.code, 0) << o.err << o.out;
    EXPECT_TRUE(has(o.out, "-A x = -b")) << o.out;
    const json r = json::parse(read_file(dir("r.json")));
    EXPECT_EQ(r["method"], "cg");
    EXPECT_EQ(r["negated"], true);
    const Array<double> x = read_vector<double>(dir("x.npy"));
    EXPECT_NEAR(x[0], 1, 1e-7);
    EXPECT_NEAR(x[1], 3, 1e-7);
  }
}

TEST_F(Advice, SpaiIsNotForCg) {
  const Outcome o =
      nonzero({"solve", definite, "--preconditioner", "spai1", "--json", dir("r.json")});
  EXPECT_EQ(o.code, 0) << o.err << o.out;
  EXPECT_EQ(json::parse(read_file(dir("r.json")))["method"], "bicgstab");
  const Outcome said = nonzero({"solve", definite, "--preconditioner", "spai1", "--method", "cg"});
  EXPECT_EQ(said.code, 2);
  EXPECT_TRUE(has(said.err, "cg needs a symmetric preconditioner, which spai1 is not")) << said.err;
}

TEST_F(Advice, LargeMatricesMayTakeMoreIterations) {
  const auto limit = [&](const char* matrix) {
    EXPECT_EQ(nonzero({"solve", matrix, "--tolerance", "0.5", "--json", dir("r.json")}).code, 0);
    return json::parse(read_file(dir("r.json")))["max_iterations"].get<int>();
  };
  EXPECT_EQ(limit("gen:grid:nx=30,ny=30"), 1800);
  EXPECT_EQ(limit("gen:grid:nx=200,ny=200"), 20000);
}

TEST_F(Advice, AfterAFailureSaysWhatToTry) {
  const std::string b =
      dir.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n-1\n");
  Outcome o = nonzero({"solve", swap, "--method", "cg", "--rhs", b});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.out, "not positive definite: try --method gmres")) << o.out;
  o = nonzero({"solve", "gen:grid:nx=60,ny=60", "--max-iterations", "110"});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.out, "limit of 110 iterations reached at ")) << o.out;
  EXPECT_TRUE(has(o.out, ", falling: --max-iterations or --preconditioner jacobi")) << o.out;
  o = nonzero({"solve", "gen:grid:nx=9,ny=9", "--tolerance", "0"});
  EXPECT_EQ(o.code, 1);
  // Whether it stagnates first depends on the order in which the plan's kernel adds.
  EXPECT_TRUE(has(o.out, "as near as rounding lets it: a larger --tolerance") ||
              has(o.out, "a larger --tolerance: f64 may get no nearer"))
      << o.out;
  // Before a plan is made.
  o = nonzero({"solve", tall, "--method", "cg"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "is 3 x 2: --method lsqr")) << o.err;
  EXPECT_EQ(o.out, "");
  o = nonzero({"solve", tall, "--preconditioner", "jacobi"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "lsqr takes no preconditioner")) << o.err;
}

TEST_F(Advice, SingularMatricesNameLeastSquares) {
  const std::string gap = dir.write("gap.mtx", header + "3 3 3\n1 1 4\n2 2 9\n1 2 1\n");
  const std::string zeros = dir.write("zeros.mtx", header + "3 3 0\n");
  for (const std::string& matrix : {gap, zeros}) {
    const Outcome o = nonzero({"solve", matrix, "--json", dir("r.json")});
    EXPECT_EQ(o.code, 1) << o.err;
    EXPECT_TRUE(has(o.out, "so it is singular: --method lsqr")) << o.out;
    const json r = json::parse(read_file(dir("r.json")));
    EXPECT_NEAR(r["residual"].get<double>(), r["true_residual"].get<double>(), 1e-12);
    EXPECT_EQ(nonzero({"solve", matrix, "--method", "lsqr"}).code, 0);
    for (const char* named : {"jacobi", "spai1"}) {
      const Outcome refused =
          nonzero({"solve", matrix, "--method", "gmres", "--preconditioner", named});
      EXPECT_EQ(refused.code, 3) << refused.out;
      EXPECT_TRUE(has(refused.err, "--method lsqr")) << refused.err;
      EXPECT_FALSE(has(refused.err, "try --preconditioner")) << refused.err;
    }
  }
}

TEST_F(Advice, ShapesAreThoseOfTheMatrixItself) {
  for (const char* command : {"pagerank", "stationary"}) {
    const Outcome o = nonzero({command, tall});
    EXPECT_EQ(o.code, 2) << o.err;
    EXPECT_TRUE(has(o.err, "this one is 3 x 2")) << o.err;
  }
}

TEST_F(Advice, WeightsBelowZeroNameUnweighted) {
  const std::string graph = dir.write("g.mtx", header + "2 2 2\n1 2 1\n2 1 -3\n");
  Outcome o = nonzero({"pagerank", graph});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "from 2 to 1 (counting from 1) weighs -3")) << o.err;
  EXPECT_TRUE(has(o.err, "--unweighted")) << o.err;
  EXPECT_EQ(nonzero({"pagerank", graph, "--unweighted"}).code, 0);
  const std::string start =
      dir.write("p.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
  for (const char* spelling : {"--personalisation", "--personalization"})
    EXPECT_EQ(nonzero({"pagerank", graph, "--unweighted", spelling, start}).code, 0) << spelling;
}

TEST_F(Advice, CountsBecomeAChain) {
  const std::string counts = dir.write("c.mtx", header + "2 2 4\n1 1 1\n1 2 3\n2 1 5\n2 2 5\n");
  Outcome o = nonzero({"stationary", counts});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.out, "row 1 (counting from 1) adds up to 4")) << o.out;
  EXPECT_TRUE(has(o.out, "--normalise")) << o.out;
  o = nonzero({"stationary", counts, "--normalise", "-o", dir("x.npy")});
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  const Array<double> x = read_vector<double>(dir("x.npy"));
  EXPECT_NEAR(x[0], 0.4, 1e-8);
  EXPECT_NEAR(x[1], 0.6, 1e-8);
  const std::string stuck = dir.write("s.mtx", header + "2 2 1\n1 2 1\n");
  o = nonzero({"stationary", stuck, "--normalise"});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "row 2 (counting from 1) adds up to 0")) << o.err;
  const std::string negative = dir.write("n.mtx", header + "2 2 2\n1 2 -1\n2 1 1\n");
  EXPECT_EQ(nonzero({"stationary", negative, "--normalise"}).code, 3);
  // A chain that only goes to and fro.
  o = nonzero(
      {"stationary", dir.write("f.mtx", header + "3 3 4\n1 2 1\n2 1 0.5\n2 3 0.5\n3 2 1\n")});
  EXPECT_EQ(o.code, 1) << o.out;
  EXPECT_TRUE(has(o.out, "--laziness")) << o.out;
}

TEST_F(Advice, AnExperimentForAGpuNamesTheEmulator) {
  if (has(nonzero({"devices", "--quick"}).out, "cuda:0")) GTEST_SKIP() << "there is a GPU";
  const Outcome o = nonzero({"reproduce", "messa2025"});
  EXPECT_EQ(o.code, 4) << o.err;
  EXPECT_TRUE(has(o.err, "--device emu")) << o.err;
}

// --x0 goes on where an earlier run stopped.
TEST_F(Advice, AStartSavesIterations) {
  const auto iterations = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--json", dir("r.json")});
    EXPECT_EQ(nonzero(words).code, 0) << words[0];
    return json::parse(read_file(dir("r.json")))["iterations"].get<int>();
  };
  const std::string grid = "gen:grid:nx=40,ny=40", graph = "gen:rmat:scale=8",
                    chain = "gen:block-band:n=400,block=4,density=0.2";
  EXPECT_GT(iterations({"solve", grid, "-o", dir("x.npy")}), 20);
  EXPECT_LE(iterations({"solve", grid, "--x0", dir("x.npy"), "--tolerance", "1e-7"}), 1);
  EXPECT_LE(iterations({"solve", grid, "--start", dir("x.npy"), "--tolerance", "1e-7"}), 1);
  EXPECT_GT(iterations({"pagerank", graph, "--unweighted", "-o", dir("r.npy")}), 10);
  EXPECT_LE(iterations({"pagerank", graph, "--unweighted", "--x0", dir("r.npy")}), 3);
  EXPECT_GT(iterations({"stationary", chain, "-o", dir("s.npy")}), 10);
  EXPECT_LE(iterations({"stationary", chain, "--x0", dir("s.npy")}), 3);
  EXPECT_EQ(nonzero({"solve", grid, "--x0", dir("s.npy")}).code, 3) << "another length";
  const std::string negative =
      dir.write("neg.mtx", "%%MatrixMarket matrix array real general\n2 1\n-1\n1\n");
  EXPECT_EQ(nonzero({"pagerank", swap, "--x0", negative}).code, 3);
}

}  // namespace
}  // namespace nz::test
