#include <complex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/io.hpp>

#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;
using C = std::complex<double>;

class ComplexProgram : public testing::Test {
 protected:
  const TempDir dir;
  //  2    1-i
  // 1+i    3
  const std::string matrix = dir.write("a.mtx",
                                       "%%MatrixMarket matrix coordinate complex hermitian\n"
                                       "2 2 3\n1 1 2 0\n2 1 1 1\n2 2 3 0\n");

  std::vector<C> product(const std::vector<std::string>& options) {
    std::vector<std::string> command{"run", matrix, "-o", dir("y.npy")};
    command.insert(command.end(), options.begin(), options.end());
    const Outcome o = nonzero(command);
    EXPECT_EQ(o.code, 0) << o.err;
    const auto y = read_vector<C>(dir("y.npy"));
    return {y.begin(), y.end()};
  }
};

TEST_F(ComplexProgram, RunsWithOneVector) {
  std::string header = "{'descr': '<c16', 'fortran_order': False, 'shape': (2, 2), }";
  header.resize(117, ' ');
  header += '\n';
  const auto length = static_cast<char>(header.size());
  const std::string npy = std::string("\x93NUMPY\x01", 7) + '\0' + length + '\0' + header;
  const Outcome o =
      nonzero({"run", matrix, "--x", dir.write("x.npy", npy + std::string(64, '\0'))});
  EXPECT_NE(o.code, 0);
  EXPECT_NE(o.err.find("x.npy: has several vectors, x must be one"), std::string::npos) << o.err;
}

TEST_F(ComplexProgram, Runs) {
  const std::vector<C> x{{0, 1}, {1, 0}};
  write_vector<C>(dir("x.mtx"), x);
  const std::string from = dir("x.mtx");
  const std::vector<C> once{{1, 1}, {2, 1}}, conjugated{{1, 3}, {4, 1}};
  EXPECT_EQ(product({"--x", from}), once);
  EXPECT_EQ(product({"--x", from, "--type", "c64"}), once);
  EXPECT_EQ(product({"--x", from, "--transpose", "--conjugate"}), once);
  EXPECT_EQ(product({"--x", from, "--transpose"}), conjugated);
  EXPECT_EQ(product({"--x", from, "--conjugate", "--kernel", "cpu/compact/balanced"}), conjugated);
  EXPECT_EQ(product({"--alpha", "2"}), (std::vector<C>{{6, -2}, {8, 2}}));
  write_vector<C>(dir("y0.npy"), x);
  EXPECT_EQ(product({"--x", from, "--beta", "-1", "--y", dir("y0.npy")}),
            (std::vector<C>{1, {1, 1}}));
  const Outcome o = nonzero({"run", matrix, "--json", "-"});
  EXPECT_EQ(json::parse(o.out)["type"], "c128");
  EXPECT_EQ(nonzero({"run", matrix, "--kernel", "cpu/csr/serial"}).code, 2);
  EXPECT_EQ(nonzero({"run", "gen:grid:nx=3,ny=3", "--type", "c64"}).code, 0);
}

TEST_F(ComplexProgram, TellsWhatAMatrixLooksLike) {
  const Outcome o = nonzero({"info", matrix});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "2 x 2, 4 nonzeros, complex")) << o.out;
  EXPECT_TRUE(has(o.out, "complex, hermitian; 3 entries stored")) << o.out;
  const json all = json::parse(nonzero({"info", matrix, "--json", "-"}).out);
  EXPECT_EQ(all[0]["numeric_symmetry"], "hermitian");
  EXPECT_EQ(all[0]["formats"][0]["bytes"], 4 * (16 + 4) + 3 * 8);
}

TEST_F(ComplexProgram, Checks) {
  const Outcome o = nonzero({"check", matrix, "--json", dir("check.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_FALSE(has(o.out, "WRONG"));
  const json results = json::parse(read_file(dir("check.json")))["results"];
  EXPECT_GE(results.size(), 4 * 8u);  // kernels, and types times ops
  for (const json& r : results) EXPECT_EQ(r["outcome"], "right") << r;
  EXPECT_EQ(nonzero({"check", matrix, "--kernels", "cpu/csr/serial"}).code, 2);
}

// One line that says why.
TEST_F(ComplexProgram, OthersRefuse) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"plan", matrix},
                                                  {"solve", matrix},
                                                  {"spy", matrix},
                                                  {"convert", matrix, dir("b.nzb")}}) {
    const Outcome o = nonzero(command);
    EXPECT_EQ(o.code, 3) << command[0] << ": " << o.err;
    EXPECT_TRUE(has(o.err, "the file has complex values")) << o.err;
  }
}

TEST_F(ComplexProgram, ListsTypes) {
  const json all = json::parse(nonzero({"list", "cpu/csr/*", "--json", "-"}).out);
  for (const json& k : all) {
    const bool complex = k["types"].size() == 4;
    EXPECT_EQ(complex, k["id"] == "cpu/csr/balanced") << k["id"];
    EXPECT_EQ(complex, k["ops"].back() == "H");
  }
}

}  // namespace
}  // namespace nz::test
