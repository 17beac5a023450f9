#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "lab/bench/statistics.hpp"
#include "lab/bench/storage.hpp"
#include "support/matrices.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

using nlohmann::json;

TEST(Info, NumbersOfAKnownMatrix) {
  const TempDir dir;
  const std::string path = dir.write("small.mtx", small_mtx);
  const Outcome o = nonzero({"info", path, "--json", "-"});
  ASSERT_EQ(o.code, 0) << o.err;
  const json all = json::parse(o.out);
  ASSERT_EQ(all.size(), 1u);
  const json& r = all[0];
  EXPECT_EQ(r["name"], path);
  EXPECT_EQ(r["rows"], 3);
  EXPECT_EQ(r["cols"], 4);
  EXPECT_EQ(r["nnz"], 5);
  EXPECT_DOUBLE_EQ(r["density"], 5.0 / 12);
  EXPECT_EQ(r["file"]["field"], "real");
  EXPECT_EQ(r["file"]["symmetry"], "general");
  EXPECT_EQ(r["file"]["expanded"], false);
  EXPECT_EQ(r["file"]["bytes"], std::string(small_mtx).size());
  EXPECT_EQ(r["row_lengths"]["min"], 0);
  EXPECT_EQ(r["row_lengths"]["max"], 3);
  EXPECT_EQ(r["row_lengths"]["empty"], 1);
  EXPECT_EQ(r["row_lengths"]["histogram"], json({1, 0, 2}));
  EXPECT_DOUBLE_EQ(r["row_lengths"]["mean"], 5.0 / 3);
  EXPECT_EQ(r["column_lengths"]["min"], 1);
  EXPECT_EQ(r["column_lengths"]["max"], 2);
  EXPECT_EQ(r["column_lengths"]["empty"], 0);
  EXPECT_EQ(r["bandwidth"], 1);
  EXPECT_EQ(r["diagonals"], 3);
  EXPECT_EQ(r["diagonal_entries"], 2);
  EXPECT_EQ(r["numeric_symmetry"], "none");
}

TEST(Info, SaysThatASymmetricFileWasExpanded) {
  const TempDir dir;
  const std::string path = dir.write("s.mtx", symmetric_mtx);
  const json r = json::parse(nonzero({"info", path, "--json"}).out)[0];
  EXPECT_EQ(r["nnz"], 7);
  EXPECT_EQ(r["file"]["stored_entries"], 5);
  EXPECT_EQ(r["file"]["symmetry"], "symmetric");
  EXPECT_EQ(r["file"]["expanded"], true);
  EXPECT_EQ(r["pattern_symmetry"], 1);
  EXPECT_EQ(r["numeric_symmetry"], "symmetric");
  const Outcome text = nonzero({"info", path});
  EXPECT_TRUE(has(text.out, "integer, symmetric (expanded on load)")) << text.out;
  EXPECT_TRUE(has(text.out, "3 x 3, 7 nonzeros")) << text.out;
}

TEST(Info, BytesInEveryFormat) {
  const json r = json::parse(nonzero({"info", "gen:diagonal:n=100", "--json"}).out)[0];
  std::map<std::string, json> formats;
  for (const json& f : r["formats"]) formats[f["format"]] = f;
  EXPECT_EQ(formats["csr"]["bytes"], 100 * 12 + 101 * 4);
  EXPECT_EQ(formats["coo"]["bytes"], 100 * 16);
  EXPECT_EQ(formats["ell"]["bytes"], 100 * 12);
  EXPECT_EQ(formats["dia"]["bytes"], 100 * 8 + 4);
  EXPECT_EQ(formats["bsr 2x2"]["slots_per_nonzero"], 2);
  EXPECT_EQ(formats["bsr 4x4"].contains("refused"), true) << "four slots a nonzero";
  const Outcome text = nonzero({"info", "gen:diagonal:n=100"});
  EXPECT_TRUE(has(text.out, "refused: BSR: 4 slots a nonzero")) << text.out;
}

// The storage table has its own line a format: none of the registry may be missing, but for
// slabs, panels and clusters, which are laid out on a device alone.
TEST(Info, StorageKnowsEveryFormatOfTheRegistry) {
  std::set<std::string> known;
  for (const lab::Storage& s : lab::storage(lab::narrow(generate("diagonal:n=8").matrix)))
    known.insert(s.format.substr(0, s.format.find(' ')));
  known.insert("slabs");
  known.insert("panels");
  known.insert("clusters");
  // Arrays of methods that the papers cite, "CSR5: Liu and Vinter 2015", are the kernels' own.
  for (const Kernel& k : kernels())
    EXPECT_TRUE(known.count(std::string(k.format)) || k.source.find(": ") != k.source.npos)
        << k.id();
}

TEST(Info, SaysWhichBlocksPay) {
  const Outcome o = nonzero({"info", "gen:block-band:n=123,block=5,density=0.2", "--json", "-"});
  const json b = json::parse(o.out)[0]["blocks"];
  EXPECT_EQ(b["block_rows"], 5);
  EXPECT_EQ(b["block_cols"], 5);
  EXPECT_EQ(b["blocks"], 125);
  EXPECT_EQ(b["exact"], true);
  EXPECT_EQ(b["padding_rows"], 2);
  EXPECT_EQ(b["csr_bytes"], json::parse(o.out)[0]["formats"][0]["bytes"]);
  EXPECT_LT(b["bsr_bytes"], b["csr_bytes"]);
  EXPECT_GE(b["seconds"], 0);
  const Outcome text = nonzero({"info", "gen:block-band:n=123,block=5,density=0.2"});
  EXPECT_TRUE(has(text.out, "blocks      5 x 5,")) << text.out;
  EXPECT_TRUE(has(text.out, "padded by 2 rows and 2 columns (exact, found in")) << text.out;
  EXPECT_TRUE(has(nonzero({"info", "gen:diagonal:n=9"}).out, "blocks      none that pay"));
}

TEST(Info, DegenerateMatricesAreFine) {
  for (const char* spec : {"gen:empty:rows=0,cols=0", "gen:empty:rows=0,cols=5",
                           "gen:empty:rows=5,cols=0", "gen:diagonal:n=1"}) {
    const Outcome o = nonzero({"info", spec});
    EXPECT_EQ(o.code, 0) << spec << ": " << o.err;
    EXPECT_TRUE(has(o.out, "format")) << o.out;
    EXPECT_FALSE(has(o.out, "nan")) << o.out;
  }
}

// Where all are alike there is no range, no mean, and none that is empty.
TEST(Info, RowsThatAreAllAlike) {
  const auto says = [](const char* spec, const char* rows, const char* columns) {
    const Outcome o = nonzero({"info", spec});
    EXPECT_TRUE(has(o.out, std::string("\n  rows        ") + rows + "\n")) << o.out;
    EXPECT_TRUE(has(o.out, std::string("\n  columns     ") + columns + "\n")) << o.out;
  };
  says("gen:diagonal:n=7", "1 nonzero each", "1 nonzero each");
  says("gen:empty:rows=5,cols=0", "all empty", "none");
  says("gen:banded:n=4,lower=3,upper=3", "4 nonzeros each", "4 nonzeros each");
  says("gen:grid:nx=2,ny=1", "2 nonzeros each", "2 nonzeros each");
  says("gen:grid:nx=3,ny=1", "2 to 3 nonzeros, mean 2.333, deviation 0.471, none empty",
       "2 to 3 nonzeros, mean 2.333, deviation 0.471, none empty");
}

TEST(Info, SeveralMatricesAndPlainBars) {
  const Outcome o = nonzero({"info", "gen:diagonal:n=3", "gen:grid:nx=4,ny=4"}, {{"LC_ALL", "C"}});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.out, "3 x 3, 3 nonzeros"));
  EXPECT_TRUE(has(o.out, "16 x 16, 64 nonzeros"));
  EXPECT_TRUE(has(o.out, "####"));
  EXPECT_TRUE(std::all_of(o.out.begin(), o.out.end(), [](unsigned char c) { return c < 128; }))
      << "not plain ASCII:\n"
      << o.out;
}

TEST(Statistics, SymmetryByPatternAndByValue) {
  const auto of = [](std::initializer_list<index_t> row, std::initializer_list<index_t> column,
                     std::initializer_list<double> value) {
    const Array<index_t> r(row), c(column);
    const Array<double> v(value);
    return lab::statistics(csr_from_triplets<double, std::int64_t>(3, 3, {r.data(), r.size()},
                                                                   {c.data(), c.size()},
                                                                   {v.data(), v.size()})
                               .view());
  };
  using lab::NumericSymmetry;
  EXPECT_EQ(of({0, 1, 2}, {1, 0, 2}, {5, 5, 1}).symmetry, NumericSymmetry::symmetric);
  EXPECT_EQ(of({0, 1}, {1, 0}, {5, -5}).symmetry, NumericSymmetry::skew_symmetric);
  EXPECT_EQ(of({0, 1, 2}, {1, 0, 2}, {5, -5, 1}).symmetry, NumericSymmetry::none);
  const lab::Statistics half = of({0, 1, 0, 2}, {1, 0, 2, 1}, {5, 4, 0, 1});
  EXPECT_EQ(half.symmetry, NumericSymmetry::none);
  EXPECT_DOUBLE_EQ(half.pattern_symmetry, 0.5);
  EXPECT_EQ(half.explicit_zeros, 1);
  EXPECT_EQ(half.bandwidth, 2);
}

TEST(Statistics, TheSameForEveryNumberOfThreads) {
  const auto with = [&](const char* threads) {
    json r = json::parse(
        nonzero({"info", "gen:rmat:scale=15", "--json", "-", "--threads", threads}).out);
    r[0].erase("load_seconds");
    r[0]["blocks"].erase("seconds");
    return r;
  };
  EXPECT_EQ(with("1"), with("4"));
}

}  // namespace
}  // namespace nz::test
