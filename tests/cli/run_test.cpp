#include <cmath>
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

std::vector<double> read(const std::string& path) {
  const Array<double> v = read_vector<double>(path);
  return {v.begin(), v.end()};
}

void write(const std::string& path, const std::vector<double>& v) { write_vector<double>(path, v); }

class Run : public testing::Test {
 protected:
  const TempDir dir;
  const std::string matrix = dir.write("a.mtx", small_mtx);
};

TEST_F(Run, OnesToAFile) {
  const Outcome o = nonzero({"run", matrix, "-o", dir("y.mtx")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(read(dir("y.mtx")), (std::vector<double>{3, 0, 4}));
  EXPECT_NE(o.out.find("\n|y|       5\n"), o.out.npos) << o.out;
  EXPECT_NE(o.err.find("wrote " + dir("y.mtx") + ": 3 elements"), o.err.npos) << o.err;
}

TEST_F(Run, SaysHowTheMatrixLiesInItsBlocks) {
  const std::string spec = "gen:block-band:n=63,block=5,density=0.3";
  for (const char* kernel : {"cpu/bsr/serial", "cpu/bsr/unrolled", "cpu/bsr/flat-index"}) {
    const Outcome o = nonzero({"run", spec, "--kernel", kernel, "--param", "block_rows=5",
                               "--param", "block_cols=5", "--json", dir("r.json")});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(has(o.out,
                    "blocks of 5 x 5: 2 rows and 2 columns of padding, 1.05 stored values "
                    "a nonzero\n"))
        << o.out;
    const json facts = json::parse(read_file(dir("r.json")))["facts"];
    EXPECT_EQ(facts["padding_rows"], 2);
    EXPECT_EQ(facts["blocks"], 13 * 4);
  }
  const Outcome whole = nonzero({"run", spec, "--kernel", "cpu/bsr/serial", "--param",
                                 "block_rows=3", "--param", "block_cols=1"});
  EXPECT_TRUE(has(whole.out, "blocks of 3 x 1")) << whole.out;
  EXPECT_FALSE(has(nonzero({"run", spec, "--kernel", "cpu/csr/serial"}).out, "blocks of"));
}

TEST_F(Run, VectorsFromFilesAlphaAndBeta) {
  for (const char* ending : {".npy", ".mtx"}) {
    const std::string x = dir("x") + ending, y = dir("y") + ending, out = dir("out") + ending;
    write(x, {1, 2, 3, 4});
    write(y, {10, 20, 30});
    const Outcome o =
        nonzero({"run", matrix, "--x", x, "--y", y, "--alpha", "-0.5", "--beta", "2", "-o", out});
    ASSERT_EQ(o.code, 0) << o.err;
    // A x = (5, 0, 14)
    EXPECT_EQ(read(out), (std::vector<double>{17.5, 40, 53}));
  }
}

TEST_F(Run, TransposeForEveryKernelAndType) {
  write(dir("x.npy"), {1, 2, 3});
  for (const char* kernel : {"cpu/csr/serial", "cpu/coo/serial"})
    for (const char* type : {"f32", "f64"}) {
      const Outcome o = nonzero({"run", matrix, "--transpose", "--x", dir("x.npy"), "--type", type,
                                 "--kernel", kernel, "-o", dir("y.npy"), "--json", "-"});
      ASSERT_EQ(o.code, 0) << o.err;
      EXPECT_EQ(read(dir("y.npy")), (std::vector<double>{1, 11, -12, 15}));
      const json r = json::parse(o.out);
      EXPECT_EQ(r["kernel"], kernel);
      EXPECT_EQ(r["type"], type);
      EXPECT_EQ(r["op"], "T");
      EXPECT_EQ(r["length"], 4);
      EXPECT_NEAR(r["norm"], std::sqrt(1 + 121 + 144 + 225), 1e-12);
      EXPECT_EQ(r["head"], json({1, 11, -12, 15}));
    }
}

TEST_F(Run, BetaZeroIgnoresY) {
  const Outcome o = nonzero({"run", matrix, "--y", dir("none.npy"), "-o", dir("y.npy")});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("not read"), o.err.npos) << o.err;
  EXPECT_EQ(read(dir("y.npy")), (std::vector<double>{3, 0, 4}));
}

TEST_F(Run, RandomDependsOnTheSeedAlone) {
  const auto norm = [&](const char* x, const char* threads) {
    const Outcome o = nonzero({"run", "gen:grid", "--x", x, "--threads", threads, "--json", "-"});
    EXPECT_EQ(o.code, 0) << o.err;
    return json::parse(o.out)["norm"].get<double>();
  };
  EXPECT_EQ(norm("random:7", "1"), norm("random:7", "3"));
  EXPECT_NE(norm("random:7", "1"), norm("random:8", "1"));
  EXPECT_EQ(norm("random", "1"), norm("random:1", "1"));
}

TEST_F(Run, ParametersReachTheKernel) {
  const Outcome o = nonzero({"run", matrix, "--kernel", "cpu/sell/serial", "--param", "chunk=2",
                             "--param", "sigma=4", "--json", "-"});
  ASSERT_EQ(o.code, 0) << o.err;
  const json r = json::parse(o.out);
  EXPECT_EQ(r["parameters"]["chunk"], 2);
  EXPECT_EQ(r["parameters"]["sigma"], 4);
}

TEST_F(Run, UsageErrors) {
  const std::vector<std::vector<std::string>> wrong{
      {"--kernel", "cpu/csr/seriel"},
      {"--param", "chunk=2"},
      {"--kernel", "cpu/csr/serial", "--param", "chunk=2"},
      {"--kernel", "cpu/sell/serial", "--param", "chunk"},
      {"--kernel", "cpu/sell/serial", "--param", "chunk=two"},
      {"--kernel", "cpu/sell/serial", "--param", "chunk=0"},
      {"--beta", "1"},
      {"--x", "random:abc"},
      {"--type", "f16"},
      {"--alpha", "one"},
      {"-o", dir("y.xyz")}};
  for (const auto& options : wrong) {
    std::vector<std::string> command{"run", matrix};
    command.insert(command.end(), options.begin(), options.end());
    const Outcome o = nonzero(command);
    EXPECT_EQ(o.code, 2) << options[0] << ' ' << options[1] << ": " << o.err;
    EXPECT_TRUE(o.err.starts_with("nonzero: error: ")) << o.err;
  }
  EXPECT_NE(nonzero({"run", matrix, "--kernel", "cpu/csr/seriel"}).err.find("cpu/csr/serial"),
            std::string::npos)
      << "the nearest name";
}

TEST_F(Run, InputErrors) {
  write(dir("short.npy"), {1, 2});
  const Outcome o = nonzero({"run", matrix, "--x", dir("short.npy")});
  EXPECT_EQ(o.code, 3);
  EXPECT_NE(o.err.find("short.npy: has 2 elements, x needs 4"), o.err.npos) << o.err;
  EXPECT_EQ(nonzero({"run", matrix, "--beta", "1", "--y", dir("short.npy")}).code, 3);
  EXPECT_EQ(nonzero({"run", matrix, "--x", dir("none.npy")}).code, 3);
  EXPECT_EQ(nonzero({"run", matrix, "--x", dir.write("junk.npy", "junk")}).code, 3);
  EXPECT_EQ(nonzero({"run", matrix, "-o", dir("no/such/folder/y.npy")}).code, 3);
  const Outcome refused = nonzero({"run", "gen:rmat:scale=9", "--kernel", "cpu/dia/serial"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("DIA"), refused.err.npos) << refused.err;
}

}  // namespace
}  // namespace nz::test
