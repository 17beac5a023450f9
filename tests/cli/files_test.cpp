// gen and convert: what ends up in files.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/io.hpp>

#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;
using Matrix = Csr<double, std::int64_t>;

Matrix read(const std::string& path) { return read_matrix<double, std::int64_t>(path); }

TEST(Gen, WritesTheMatrixThatTheLibraryGenerates) {
  const TempDir dir;
  const Outcome o = nonzero({"gen", "grid", "points=9", "nx=7", "ny=5", "-o", dir("a.mtx")});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "");
  EXPECT_NE(o.err.find("wrote " + dir("a.mtx") + ": 35 x 35, "), o.err.npos) << o.err;
  EXPECT_EQ(read(dir("a.mtx")), generate("grid:points=9,nx=7,ny=5").matrix);
}

TEST(Gen, AcceptsTheSpecificationInOneWord) {
  const TempDir dir;
  const Matrix wanted = generate("random:rows=20,cols=30,density=0.1,seed=5").matrix;
  const std::vector<std::vector<std::string>> spellings{
      {"random:rows=20,cols=30,density=0.1,seed=5"},
      {"gen:random:rows=20,cols=30,density=0.1,seed=5"},
      {"gen:random", "rows=20", "cols=30", "density=0.1", "seed=5"},
      {"random:rows=20", "cols=30", "density=0.1", "seed=5"}};
  for (const auto& spelling : spellings) {
    std::vector<std::string> command{"gen", "-o", dir("a.nzb")};
    command.insert(command.end(), spelling.begin(), spelling.end());
    const Outcome o = nonzero(command);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(read(dir("a.nzb")), wanted) << spelling[0];
  }
}

TEST(Gen, TheSameTwiceForEveryNumberOfThreads) {
  const TempDir dir;
  const auto make = [&](const char* name, const char* threads) {
    EXPECT_EQ(nonzero({"gen", "rmat", "scale=8", "-o", dir(name), "--threads", threads}).code, 0);
    return read_file(dir(name));
  };
  const std::string once = make("1.mtx", "1");
  EXPECT_GT(once.size(), 1000u);
  EXPECT_EQ(once, make("2.mtx", "1"));
  EXPECT_EQ(once, make("3.mtx", "3"));
}

TEST(Gen, RecordTellsWhatWasMade) {
  const TempDir dir;
  const Outcome o = nonzero({"gen", "diagonal", "n=12", "-o", dir("d.mtx"), "--json", "-"});
  ASSERT_EQ(o.code, 0) << o.err;
  const json r = json::parse(o.out);
  EXPECT_EQ(r["rows"], 12);
  EXPECT_EQ(r["cols"], 12);
  EXPECT_EQ(r["nnz"], 12);
  EXPECT_EQ(r["stand_in"], false);
  EXPECT_EQ(r["file"], dir("d.mtx"));
  EXPECT_EQ(r["file_bytes"], read_file(dir("d.mtx")).size());
}

TEST(Gen, AStandInSaysSoEverywhere) {
  std::string name;
  for (const NamedMatrix& n : named_matrices())
    if (!n.exact && (name.empty() || n.name == "bcsstk13")) name = n.name;
  if (name.empty()) GTEST_SKIP() << "every named matrix is exact";
  const TempDir dir;
  const Outcome o = nonzero({"gen", "like:" + name, "-o", dir("s.mtx"), "--json", "-"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("stand-in"), o.err.npos) << o.err;
  EXPECT_EQ(json::parse(o.out)["stand_in"], true);
  const std::string text = read_file(dir("s.mtx")).substr(0, 1000);
  EXPECT_NE(text.find("STAND-IN"), text.npos) << text;
}

TEST(Gen, ListNamesFamiliesAndMatrices) {
  const Outcome o = nonzero({"gen", "--list"});
  EXPECT_EQ(o.code, 0);
  const json all = json::parse(nonzero({"gen", "--list", "--json"}).out);
  ASSERT_EQ(all["families"].size(), families().size());
  ASSERT_EQ(all["named"].size(), named_matrices().size());
  for (std::size_t i = 0; i < families().size(); ++i) {
    EXPECT_EQ(all["families"][i]["name"], families()[i].name);
    EXPECT_EQ(all["families"][i]["settings"].size(), families()[i].settings.size());
    EXPECT_NE(o.out.find('\n' + std::string(families()[i].name)), o.out.npos);
  }
  for (const json& n : all["named"]) EXPECT_TRUE(n["exact"].is_boolean());
}

TEST(Gen, ErrorsAreUsage) {
  const TempDir dir;
  const std::vector<std::vector<std::string>> wrong{
      {"gen"},
      {"gen", "grid"},
      {"gen", "no-such-family", "-o", dir("a.mtx")},
      {"gen", "grid", "nx=abc", "-o", dir("a.mtx")},
      {"gen", "grid", "nx", "-o", dir("a.mtx")},
      {"gen", "like:mycielskian16", "k=3", "-o", dir("a.mtx")},
      {"gen", "grid", "-o", dir("a.xyz")}};
  for (const auto& command : wrong) {
    const Outcome o = nonzero(command);
    EXPECT_EQ(o.code, 2) << o.err;
    EXPECT_TRUE(o.err.starts_with("nonzero: error: ")) << o.err;
  }
  EXPECT_EQ(nonzero({"gen", "grid", "-o", dir("no/such/folder/a.mtx")}).code, 3);
}

TEST(Convert, EveryFormatAndBack) {
  const TempDir dir;
  const std::string start = dir.write("a.mtx", small_mtx);
  std::string from = start;
  for (const char* name : {"b.nzb", "c.mtx.gz", "d.mtx.zst", "e.nzb", "f.mtx"}) {
    const Outcome o = nonzero({"convert", from, dir(name)});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(read(dir(name)), read(start)) << name;
    from = dir(name);
  }
}

TEST(Convert, ExpandsSymmetricFiles) {
  const TempDir dir;
  const std::string from = dir.write("s.mtx", symmetric_mtx);
  const Outcome o = nonzero({"convert", from, dir("s.nzb"), "--json", "-"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(json::parse(o.out)["nnz"], 7);
  EXPECT_EQ(read(dir("s.nzb")), read(from));
}

TEST(Convert, Errors) {
  const TempDir dir;
  const std::string from = dir.write("a.mtx", small_mtx);
  EXPECT_EQ(nonzero({"convert", from}).code, 2);
  EXPECT_EQ(nonzero({"convert", dir("none.mtx"), dir("b.nzb")}).code, 3);
  EXPECT_EQ(nonzero({"convert", from, dir("b.unknown")}).code, 2);
  EXPECT_EQ(nonzero({"convert", dir(""), dir("b.nzb")}).code, 3) << "a folder is no matrix";
}

}  // namespace
}  // namespace nz::test
