// MATLAB's files of level 5, as SciPy writes them, and broken ones.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/other_writers.hpp"
#include "io/refusals.hpp"
#include "support/temp_dir.hpp"

namespace nz {
namespace {

using test::little;
using test::mat_element;
using test::mat_header;
using test::mat_sparse;
using test::raw;

const std::string corpus = NZ_SOURCE_DIR "/tests/fuzz/corpus/other_files/";

TEST(Mat, AsSciPyWritesThem) {
  const std::vector<double> expected{1.5, 0, 0, 0, -2, 0, 3, 0, 4, 0, 0, 0.25};
  for (const char* name :
       {"plain.mat", "zlib.mat", "zlib.mat:A", "two.mat:B", "struct.mat", "struct.mat:Problem.A"}) {
    FileInfo info;
    const auto a = read_matrix<double, std::int32_t>(corpus + name, {}, &info);
    a.validate();
    EXPECT_EQ(dense(a), expected) << name;
    EXPECT_EQ(info.format, "MATLAB 5");
  }
  FileInfo info;
  EXPECT_EQ(dense(read_matrix<float, std::int64_t>(corpus + "logical.mat", {}, &info)),
            (std::vector<float>{1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(info.field, Field::integer);
}

TEST(Mat, VariablesAreNamed) {
  const auto refused = [](const std::string& name, const std::string& message) {
    try {
      (void)read_matrix<double, std::int32_t>(corpus + name);
      ADD_FAILURE() << name;
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  refused("two.mat", "which variable? Write " + corpus +
                         "two.mat:NAME for one of 'A' (4 x 3 sparse), 'B' (4 x 3 sparse)");
  refused("two.mat:C", "no variable 'C' in it, but 'A' (4 x 3 sparse)");
  refused("dense.mat", "no sparse matrix in it, but 'D' (2 x 2 double)");
  refused("zlib.mat:b", "'b' is no sparse matrix, but a 1 x 2 double");
  refused("complex.mat", "complex matrices are not supported");
  refused("missing.mat:A", "missing.mat: No such file or directory");
  // A file of the whole name goes first.
  const test::TempDir dir;
  const auto path = dir.write("a.mat:B", "%%MatrixMarket matrix coordinate real general\n1 1 0\n");
  EXPECT_EQ((read_matrix<double, std::int32_t>(path).rows), 1);
}

const std::string two = mat_element(9, raw<double>({5, 7}));

TEST(Mat, NarrowTypesRoomAndTheOtherByteOrder) {
  // Values as bytes, in the place of a length, and room behind the last entry.
  const std::string small = little(2, 2) + little(2, 2) + std::string("\5\7\0\0", 4);
  for (const auto& values : {two, small, mat_element(2, "\5\7\1")}) {
    const auto a = read_text(mat_header() + mat_sparse("A", 3, 2, {2, 0, 99}, {0, 1, 2}, values));
    EXPECT_EQ(dense(a), (std::vector<double>{0, 7, 0, 0, 5, 0}));
  }
  // Every word turned around.
  std::string text = mat_header() + mat_sparse("A\0\0\0", 3, 2, {2, 0}, {0, 1, 2},
                                               mat_element(7, raw<float>({5, 7})));
  text.replace(124, 4, std::string("\1\0MI", 4));
  for (std::size_t at = 128; at + 4 <= text.size(); at += 4)
    if (text[at] != 'A')
      std::reverse(text.begin() + static_cast<long>(at), text.begin() + static_cast<long>(at) + 4);
  EXPECT_EQ(dense(read_text(text)), (std::vector<double>{0, 7, 0, 0, 5, 0}));
}

TEST(Mat, Hostile) {
  const std::string good = mat_header() + mat_sparse("A", 3, 2, {2, 0}, {0, 1, 2}, two);
  const auto with = [&](const std::string& element) { return mat_header() + element; };
  std::string level4 = good, version = good, lying = good, tiny = good, hdf5 = good;
  level4.replace(126, 2, "xx");
  version[125] = 9;
  lying.replace(132, 4, little(0x7fffffff, 4));
  tiny.replace(136, 4, little(0x00090006, 4));
  hdf5.replace(0, 10, "MATLAB 7.3");
  test::expect_refusals(
      "a.mat",
      {{"", "it is too short"},
       {"MATLAB 5.0 MAT-file", "it is too short"},
       {mat_header(), "no sparse matrix in it"},
       {level4, "level 4 is not supported"},
       {version, "MAT-file version 9 is not known"},
       {lying, "an element of 2147483647 bytes, but"},
       {tiny, "impossible length"},
       {with("abc"), "cut off"},
       {with(mat_element(7, "abcd")), "an element of type 7 where a variable should be"},
       {with(mat_element(14, mat_element(5, "abcdabcd"))), "flags should be here"},
       {with(mat_element(15, "no zlib data")), "broken deflate data"},
       {with(mat_sparse("A", -3, 2, {2, 0}, {0, 1, 2}, two)), "is no shape"},
       {with(mat_sparse("A", 2000000000, 2, {2, 0}, {0, 1, 2}, two)), "bytes of memory"},
       {with(mat_sparse("A", 3, 2000000000, {2, 0}, {0, 1, 2}, two)), "bytes of memory"},
       {with(mat_sparse("A", 2, 2, {2, 0}, {0, 1, 2}, two)), "row 2 is not from 0 to 1"},
       {with(mat_sparse("A", 3, 2, {-1, 0}, {0, 1, 2}, two)), "row -1 is not"},
       {with(mat_sparse("A", 3, 2, {2, 0}, {0, 1, 3}, two)), "offsets go to 3"},
       {with(mat_sparse("A", 3, 2, {2, 0}, {0, 2, 1}, two)), "less than 2"},
       {with(mat_sparse("A", 3, 2, {2, 0}, {0, 2}, two)), "2 offsets, but the shape needs 3"},
       {with(mat_sparse("A", 3, 2, {2, 0}, {0, 1, 2}, "")), "cut off"},
       {with(mat_sparse("A", 3, 2, {2, 0}, {0, 1, 2}, mat_element(14, "x"))), "no numbers"},
       {with(mat_sparse("A", 3, 2, {2, 0}, {0, 1, 2}, two, 0x805)), "complex"},
       {with(mat_sparse(std::string(300, 'n'), 3, 2, {2, 0}, {0, 1, 2}, two)), "a name of 300"},
       {with(mat_element(14, mat_element(6, little(2, 8)) +
                                 mat_element(5, raw<std::int32_t>({1, 1})) + mat_element(1, "P") +
                                 mat_element(5, little(0, 4)) + mat_element(1, "abcd"))),
        "the names of fields are broken"}});
  for (std::size_t n = 0; n < good.size(); ++n)
    EXPECT_THROW((read_text(std::string_view(good).substr(0, n))), BadInput) << n;
  // With libmatio it needs a file, without it nothing helps.
  try {
    (void)read_text(hdf5);
    ADD_FAILURE();
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("7.3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace nz
