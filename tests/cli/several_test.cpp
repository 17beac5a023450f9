#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/devices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

// Several vectors in the program: bench, check, run, compare.
namespace nz::test {
namespace {

using nlohmann::json;

json results_of(const std::string& file) { return json::parse(read_file(file))["results"]; }

TEST(Several, BenchTimesEachNumberOfVectors) {
  const TempDir dir;
  const std::vector<std::string> command{"bench",        "gen:grid:nx=30,ny=20",
                                         "--kernels",    "plan/balanced/*,cpu/csr/serial",
                                         "--vectors",    "1,3,8",
                                         "--layout",     "rows,columns",
                                         "--time-limit", "0.001",
                                         "--buffer",     "1",
                                         "--json",       dir("r.json")};
  const Outcome o = nonzero(command);
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  EXPECT_TRUE(has(o.out, "f64 N x 8 by columns")) << o.out;
  EXPECT_TRUE(has(o.out, "cpu/csr/serial (one by one)")) << o.out;
  std::map<int, std::int64_t> bytes, csr_bytes;
  std::set<std::string> seen;
  for (const json& r : results_of(dir("r.json"))) {
    EXPECT_EQ(r["status"], "ok") << r;
    EXPECT_FALSE(r["parameters"].contains("vectors")) << "it is not the kernel's";
    const int k = r.value("vectors", 1);
    EXPECT_EQ(r.contains("layout"), k > 1) << r;
    EXPECT_EQ(r.contains("judged_columns"), k > 1) << r;
    if (k > 1) {
      EXPECT_EQ(r["judged_columns"], k);
    }
    seen.insert(r["kernel"].get<std::string>() + r["op"].get<std::string>() + std::to_string(k) +
                r.value("layout", ""));
    EXPECT_NEAR(r["gflops"].get<double>() * r["median_s"].get<double>(),
                2e-9 * k * r["nnz"].get<double>(), 1e-4 * 2e-9 * k * r["nnz"].get<double>());
    if (r["kernel"] != "cpu/csr/serial" || r["op"] != "N") continue;
    EXPECT_EQ(r.value("one_by_one", false), k > 1) << r;
    bytes[k] = r["bytes"];
    csr_bytes[k] = r["csr_bytes"];
  }
  EXPECT_EQ(seen.size(), 8u * 5) << "plans for n, t, both and one copy, and N and T of a kernel";
  EXPECT_EQ(bytes[8], 8 * bytes[1]) << "the matrix is read for each";
  EXPECT_EQ(csr_bytes[8] - csr_bytes[1], 7 * 1200 * 8) << "the matrix once";
  // Nothing is missing.
  auto again = command;
  again.emplace_back("--resume");
  const Outcome resumed = nonzero(again);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_FALSE(has(resumed.err, "generated in")) << resumed.err;
}

TEST(Several, BenchOnTheEmulator) {
  NZ_NEEDS_EMULATOR();
  const TempDir dir;
  const Outcome o =
      nonzero({"bench", "gen:grid:nx=9,ny=7", "--device", "emu", "--kernels",
               "plan/balanced/n,gpu/csr/balanced", "--vectors", "5", "--layout", "rows,columns",
               "--ops", "N", "--types", "f32,f64", "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  const json results = results_of(dir("r.json"));
  EXPECT_EQ(results.size(), 2u * 2 * 2);
  for (const json& r : results) {
    EXPECT_EQ(r["status"], "ok") << r;
    EXPECT_FALSE(r.contains("one_by_one")) << r;
    EXPECT_EQ(r["vectors"], 5);
  }
}

TEST(Several, BenchLeavesOutWhoMultipliesOneByOneUnlessNamed) {
  const TempDir dir;
  const Outcome o = nonzero({"bench", "gen:grid:nx=9,ny=7", "--vectors", "2", "--ops", "N",
                             "--time-limit", "0.001", "--buffer", "1", "--json", dir("r.json")});
  ASSERT_EQ(o.code, 0) << o.err << o.out;
  bool plan = false;
  for (const json& r : results_of(dir("r.json"))) {
    plan = plan || r["kernel"] == "plan/balanced/n";
    EXPECT_TRUE(r["kernel"] == "plan/balanced/n" || !r.contains("one_by_one")) << r;
  }
  EXPECT_TRUE(plan) << "what a plan chooses for several is the plan";
}

TEST(Several, BenchSaysWhatIsWrongInItsOptions) {
  for (const auto& [option, value, said] : {std::tuple{"--vectors", "0", "not in the range"},
                                            {"--vectors", "two", "whole number"},
                                            {"--layout", "diagonal", "rows, columns"},
                                            {"--param", "vectors=2", "--vectors"}}) {
    const Outcome o = nonzero({"bench", "gen:grid:nx=3,ny=3", option, value});
    EXPECT_EQ(o.code, 2) << o.err;
    EXPECT_TRUE(has(o.err, said)) << o.err;
  }
}

TEST(Several, CompareKeepsNumbersOfVectorsApart) {
  const TempDir dir;
  const auto result = [](const char* kernel, int k, const char* layout, double seconds) {
    json r{{"matrix", "a"},
           {"kernel", kernel},
           {"op", "N"},
           {"type", "f64"},
           {"rows", 4},
           {"cols", 4},
           {"nnz", 4},
           {"status", "ok"},
           {"threads", 1},
           {"median_s", seconds},
           {"samples_s", {seconds}}};
    if (k > 1) r["vectors"] = k, r["layout"] = layout;
    return r;
  };
  dir.write(
      "r.json",
      json{{"schema", "nonzero-bench/1"},
           {"results",
            {result("cpu/csr/serial", 1, "", 1), result("peer/x/csr", 1, "", 2),
             result("cpu/csr/serial", 8, "rows", 2), result("peer/x/csr", 8, "rows", 12),
             result("cpu/csr/serial", 8, "columns", 3), result("peer/x/csr", 8, "columns", 12)}}}
          .dump());
  Outcome o = nonzero({"compare", dir("r.json"), "--json", dir("c.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  std::map<std::string, double> means;
  const json compared = json::parse(read_file(dir("c.json")));
  for (const json& one : compared["summary"]) means[one["what"]] = one["geomean"];
  EXPECT_DOUBLE_EQ(means["f64 N against the best peer"], 2);
  EXPECT_DOUBLE_EQ(means["f64 N x 8 by rows against the best peer"], 6);
  EXPECT_DOUBLE_EQ(means["f64 N x 8 by columns against the best peer"], 4);
  o = nonzero(
      {"compare", dir("r.json"), "--vectors", "8", "--layout", "rows", "--json", dir("d.json")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(json::parse(read_file(dir("d.json")))["pairs"].size(), 1u);
}

TEST(Several, Check) {
  const Outcome o = nonzero({"check", "gen:random:rows=30,cols=20,density=0.2", "--kernels",
                             "cpu/csr/*", "--vectors", "3"});
  EXPECT_EQ(o.code, 0) << o.err << o.out;
  EXPECT_TRUE(has(o.out, "of 3 vectors by rows and by columns checked")) << o.out;
  if (!has_emulator()) return;
  const Outcome emulated = nonzero({"check", "gen:random:rows=30,cols=20,density=0.2", "--kernels",
                                    "gpu/csr/balanced", "--vectors", "3", "--device", "emu"});
  EXPECT_EQ(emulated.code, 0) << emulated.err << emulated.out;
}

std::string npy(bool fortran, const std::string& shape, const std::vector<double>& numbers) {
  std::string header = std::string("{'descr': '<f8', 'fortran_order': ") +
                       (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
  std::string all = "\x93NUMPY\1";
  all += '\0';
  all += static_cast<char>(header.size());
  all += '\0';
  all += header;
  all.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  return all;
}

std::vector<double> numbers_of(const std::string& npy, std::size_t n) {
  std::vector<double> v(n);
  std::memcpy(v.data(), npy.data() + npy.size() - n * sizeof(double), n * sizeof(double));
  return v;
}

// The same product of one vector each is the truth here.
TEST(Several, RunFromAndToNpyOfTwoDimensions) {
  const TempDir dir;
  const std::string matrix =
      dir.write("a.mtx",
                "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n1 3 1\n"
                "2 2 -1\n");
  const std::string by_rows = dir.write("x.npy", npy(false, "(3, 2)", {1, 10, 2, 20, 3, 30}));
  const std::string by_columns = dir.write("z.npy", npy(true, "(3, 2)", {1, 2, 3, 10, 20, 30}));
  Outcome o = nonzero({"run", matrix, "--x", by_rows, "-o", dir("y.npy")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "vectors   2, X by rows, Y by rows")) << o.out;
  std::string y = read_file(dir("y.npy"));
  EXPECT_TRUE(has(y, "'fortran_order': False, 'shape': (2, 2)"));
  EXPECT_EQ(numbers_of(y, 4), (std::vector<double>{5, 50, -2, -20}));
  o = nonzero({"run", matrix, "--x", by_columns, "-o", dir("w.npy"), "--type", "f64"});
  ASSERT_EQ(o.code, 0) << o.err;
  const std::string w = read_file(dir("w.npy"));
  EXPECT_TRUE(has(w, "'fortran_order': True, 'shape': (2, 2)"));
  EXPECT_EQ(numbers_of(w, 4), (std::vector<double>{5, -2, 50, -20}));
  // y lies as its own file has it, x as its own.
  o = nonzero({"run", matrix, "--x", by_columns, "--y", dir("y.npy"), "--beta", "-1", "-o",
               dir("zero.npy")});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(numbers_of(read_file(dir("zero.npy")), 4), (std::vector<double>{0, 0, 0, 0}));
  // What does not fit says so.
  o = nonzero({"run", matrix, "--x", dir("y.npy")});
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_TRUE(has(o.err, "has 2 x 2 elements, x needs 3 rows")) << o.err;
  o = nonzero({"run", matrix, "--x", by_rows, "-o", dir("y.mtx")});
  EXPECT_EQ(o.code, 2) << o.err;
  EXPECT_TRUE(has(o.err, "several vectors are written as .npy")) << o.err;
  const std::string one = dir.write("one.npy", npy(false, "(2,)", {1, 2}));
  o = nonzero({"run", matrix, "--x", by_rows, "--y", one, "--beta", "1"});
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_TRUE(has(o.err, "has 1 vector, x has 2")) << o.err;
  const std::string cut = dir.write("cut.npy", npy(false, "(3, 2)", {1, 10, 2}));
  o = nonzero({"run", matrix, "--x", cut});
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_TRUE(has(o.err, "6 numbers of 8 bytes announced, but 24 bytes follow")) << o.err;
}

}  // namespace
}  // namespace nz::test
