// What SciPy's save_npz writes, and zip files that lie.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/refusals.hpp"
#include "io/other_writers.hpp"
#include "io/packed.hpp"
#include "support/temp_dir.hpp"

namespace nz {
namespace {

using test::npy;
using test::npy_f8;
using test::npy_i4;
using test::raw;
using test::zip;
using test::ZipMember;

const std::string corpus = NZ_SOURCE_DIR "/tests/fuzz/corpus/other_files/";
const std::vector<double> expected{1.5, 0, 0, 0, -2, 0, 3, 0, 4, 0, 0, 0.25};

std::vector<double> times(std::vector<double> v, double by) {
  for (double& x : v) x *= by;
  return v;
}

TEST(Npz, AsSciPyWritesThem) {
  for (const char* name : {"csr", "csc", "coo", "bsr", "dia", "stored", "single"}) {
    FileInfo info;
    const auto path = corpus + name + ".npz";
    const auto a = read_matrix<double, std::int32_t>(path, {}, &info);
    a.validate();
    EXPECT_EQ(a.rows, 4);
    EXPECT_EQ(dense(a), expected) << name;
    EXPECT_EQ(info.field, Field::real);
    EXPECT_TRUE(info.format.starts_with("SciPy ")) << info.format;
    // Values of a block that are 0 stay, as SciPy keeps them; those of a diagonal are fill.
    EXPECT_EQ(a.nnz(), std::string(name) == "bsr" ? 12 : 5) << name;
    const auto f = read_matrix<float, std::int64_t>(path);
    EXPECT_EQ(dense(f), std::vector<float>(expected.begin(), expected.end())) << name;
  }
  FileInfo info;
  EXPECT_EQ(dense(read_matrix<double, std::int32_t>(corpus + "wide.npz", {}, &info)),
            times(expected, 4));
  EXPECT_EQ(info.field, Field::integer);
  EXPECT_EQ(dense(read_matrix<double, std::int32_t>(corpus + "bool.npz")),
            (std::vector<double>{1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1}));
}

// The members of a 2 x 3 matrix; a test changes some.
struct Made {
  std::vector<ZipMember> members{{"format.npy", npy("|S3", "()", "csr")},
                                 {"shape.npy", npy("<i8", "(2,)", raw<std::int64_t>({2, 3}))},
                                 {"data.npy", npy_f8({1, 2, 3, 4})},
                                 {"indices.npy", npy_i4({2, 0, 2, 1})},
                                 {"indptr.npy", npy_i4({0, 3, 4})}};
  ZipMember& operator[](const std::string& name) {
    for (ZipMember& m : members)
      if (m.name == name + ".npy") return m;
    return members.emplace_back(ZipMember{name + ".npy", ""});
  }
  std::string with(const std::string& name, const std::string& bytes) const {
    Made other = *this;
    other[name].bytes = bytes;
    return zip(other.members);
  }
  std::string without(const std::string& name) const {
    Made other = *this;
    other[name].name = "other.npy";
    return zip(other.members);
  }
};

TEST(Npz, UnsortedAndDuplicateEntries) {
  Made made;
  const std::vector<double> sums{2, 0, 4, 0, 4, 0};
  const auto a = read_text(zip(made.members));
  EXPECT_EQ(dense(a), sums);
  EXPECT_EQ(a.nnz(), 3);
  EXPECT_EQ(read_text(gzip(zip(made.members))), a) << "compressed once more";
  EXPECT_EQ(read_text(zip(made.members, true)), a) << "a directory of 64 bits";
  for (ZipMember& m : made.members) m.wide = true;
  EXPECT_EQ(read_text(zip(made.members)), a) << "sizes of 64 bits";
  EXPECT_EQ(read_text(zip(made.members) + ""), a);
  // Room behind the last offset, as SciPy allows.
  made["data"].bytes = npy_f8({1, 2, 3, 4, 9});
  made["indices"].bytes = npy_i4({2, 0, 2, 1, 0});
  EXPECT_EQ(read_text(zip(made.members)), a);
  made["format"].bytes = npy("<U3", "()", std::string("c\0\0\0s\0\0\0r\0\0\0", 12));
  EXPECT_EQ(read_text(zip(made.members)), a) << "as older SciPy names a format";
}

TEST(Npz, CoordinatesInOneArray) {
  Made made;
  made["format"].bytes = npy("|S3", "()", "coo");
  made["coords"].bytes = npy("<i4", "(2, 4)", raw<std::int32_t>({0, 0, 1, 0, 2, 0, 1, 2}));
  EXPECT_EQ(dense(read_text(zip(made.members))), (std::vector<double>{2, 0, 5, 0, 3, 0}));
}

TEST(Npz, Hostile) {
  const Made made;
  const std::string good = zip(made.members);
  const auto shape = [&](std::int64_t m, std::int64_t n) {
    return made.with("shape", npy("<i8", "(2,)", raw<std::int64_t>({m, n})));
  };
  Made odd = made;
  const auto odd_data = [&](auto&& change) {
    odd = made;
    change(odd["data"]);
    return zip(odd.members);
  };
  test::expect_refusals(
      "a.npz",
      {{"PK\3\4", "cut short"},
       {"", "cut short"},
       {"no zip file at all, but a text", "cut short"},
       {zip({}), "no sparse matrix of SciPy: it has no format.npy, but nothing"},
       {made.without("format"), "it has no format.npy, but 'other.npy', 'shape.npy'"},
       {made.without("indptr"), "it has no indptr.npy"},
       {made.without("data"), "it has no data.npy"},
       {made.with("format", npy("|S3", "()", "lil")), "the format 'lil' is not one of csr"},
       {made.with("format", npy("<f8", "()", "12345678")), "is not that of a word"},
       {made.with("format", npy("|S900", "()", std::string(900, 'c'))), "is not that of a word"},
       {shape(-1, 3), "is no shape"},
       {shape(2, std::int64_t{1} << 40), "is no shape"},
       {shape(2000000000, 3), "bytes of memory"},
       {shape(5, 3), "indptr.npy: 3 offsets, but the shape needs 6"},
       {shape(2, 2), "indices.npy: entry 0: index 2 is not from 0 to 1"},
       {made.with("shape", npy("<i8", "(1,)", raw<std::int64_t>({2}))), "1 dimensions"},
       {made.with("shape", npy("<f8", "(2,)", raw<double>({2, 3}))), "whole numbers are needed"},
       {made.with("indices", npy_i4({2, -1, 2, 1})), "index -1 is not from 0 to 2"},
       {made.with("indices", npy_i4({2, 0, 2})), "3 numbers, but data.npy has 4"},
       {made.with("indices", npy_f8({2, 0, 2, 1})), "are not whole numbers"},
       {made.with("indices", npy("<i8", "(4,)", raw<std::int64_t>({0, 0, 0, 1LL << 33}))),
        "index 8589934592 is not"},
       {made.with("indptr", npy_i4({1, 3, 4})), "offset 0 is 1, not 0"},
       {made.with("indptr", npy_i4({0, 3, 2})), "offset 2 is 2, less than 3"},
       {made.with("indptr", npy_i4({0, 3, 5})), "offsets go to 5, but there are 4 entries"},
       {made.with("indptr", npy("<u8", "(3,)", raw<std::uint64_t>({0, 3, ~0ull}))),
        "18446744073709551615 is too large"},
       {made.with("data", npy("<c16", "(4,)", std::string(64, '\0'))), "complex matrices"},
       {made.with("data", npy(">f8", "(4,)", std::string(32, '\0'))), "little-endian"},
       {made.with("data", npy("|O", "(4,)", std::string(32, '\0'))), "the type '|O'"},
       {made.with("data", npy("<f8", "(4, 1)", raw<double>({1, 2, 3, 4}))), "has not 1 dimension"},
       {made.with("data", npy("<f8", "(9000000000000000000, 4)", "")), "but 0 bytes follow"},
       {made.with("data", npy("<f8", "(4,)", "12345")), "but 5 bytes follow"},
       {made.with("data", "no array, but long enough"), "data.npy: not a .npy array"},
       {made.with("data", ""), "header is cut short"},
       {odd_data([](ZipMember& m) { m.flags = 1; }), "data.npy: encrypted"},
       {odd_data([](ZipMember& m) { m.method = 12; }), "compressed by method 12"},
       {odd_data([](ZipMember& m) { m.method = 8; }), "data.npy: "},
       {odd_data([](ZipMember& m) { m.checksum = 7; }), "data.npy: damaged"},
       {odd_data([](ZipMember& m) { m.unpacked = 3; }), "3 bytes announced, but there are more"},
       {odd_data([](ZipMember& m) { m.unpacked = 5000; }), "5000 bytes announced"},
       {odd_data([](ZipMember& m) { m.method = 8, m.wide = true, m.unpacked = 1ull << 62; }),
        "bytes of memory"},
       {good.substr(0, good.size() - 1), "cut short"}});
  test::expect_every_cut_refused("a.npz", good, good.size());
  // Diagonals and blocks.
  Made dia = made;
  dia["format"].bytes = npy("|S3", "()", "dia");
  dia["data"].bytes = npy("<f8", "(2, 2)", raw<double>({1, 2, 3, 4}));
  Made bsr = made;
  bsr["format"].bytes = npy("|S3", "()", "bsr");
  test::expect_refusals("b.npz",
                        {{zip(dia.members), "it has no offsets.npy"},
                         {dia.with("offsets", npy_i4({1, 1})), "the diagonal 1 is there twice"},
                         {dia.with("offsets", npy_i4({1, 2, 3})), "3 numbers, but data.npy has 2"},
                         {zip(bsr.members), "has not 3 dimensions"},
                         {bsr.with("data", npy("<f8", "(1, 2, 2)", raw<double>({1, 2, 3, 4}))),
                          "blocks of 2 x 2 do not fill a 2 x 3 matrix"},
                         {bsr.with("data", npy("<f8", "(4, 0, 1)", "")), "blocks of 0 x 1"}});
  // Far diagonals hold nothing of the matrix, and overflow nothing.
  EXPECT_EQ(
      read_text(dia.with("offsets", npy("<i8", "(2,)", raw<std::int64_t>({INT64_MIN, INT64_MAX}))))
          .nnz(),
      0);
}

}  // namespace
}  // namespace nz
