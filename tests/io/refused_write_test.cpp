#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/io.hpp>

#include "support/temp_dir.hpp"

// Matrices that a format has no place for are refused before a file is begun.
namespace nz {
namespace {

using test::TempDir;

const Csr<double, std::int32_t> example{3, 3, {0, 2, 3, 4}, {0, 2, 1, 2}, {1, 2, 3, 4}};

std::string refusal(const std::string& path, const CsrView<double, std::int32_t>& a) {
  std::string said = "it was written";
  try {
    write_matrix(path, a);
  } catch (const InvalidArgument& e) {
    said = e.what();
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  return said;
}

TEST(RefusedWrite, ASlice) {
  const TempDir dir;
  CsrView<double, std::int32_t> slice = example.view();
  slice.rows = 2;
  slice.offsets += 1;
  slice.nnz = 2;
  for (const char* name : {"a.mtx", "a.mtx.gz", "a.mtx.zst", "a.nzb"})
    EXPECT_EQ(refusal(dir(name), slice),
              dir(name) + ": a slice, whose offsets do not begin with 0");
}

TEST(RefusedWrite, RowsOutOfOrderAsNzb) {
  const TempDir dir;
  auto mixed = example;
  std::swap(mixed.columns[0], mixed.columns[1]);
  EXPECT_EQ(refusal(dir("a.nzb"), mixed.view()),
            dir("a.nzb") + ": .nzb needs sorted rows; csr_from_arrays() makes them");
  // Matrix Market has no order, and comes back in it.
  write_matrix(dir("a.mtx"), mixed.view());
  const auto back = read_matrix<double, std::int32_t>(dir("a.mtx"));
  EXPECT_EQ(back.columns, example.columns);
  EXPECT_EQ(back.values[0], 2);
  EXPECT_EQ(back.values[1], 1);
}

TEST(RefusedWrite, EndingsThatSayNothing) {
  const TempDir dir;
  EXPECT_EQ(refusal(dir("a.csv"), example.view()),
            dir("a.csv") + ": the name's ending is not one of .mtx, .mtx.gz, .mtx.zst, .nzb");
}

// Longer than any header of a vector, and there in full: refused by its length.
TEST(RefusedRead, HeadersOfMegabytes) {
  const TempDir dir;
  const std::string header((1 << 20) + 1, ' ');
  std::string bytes = "\x93NUMPY\2";
  bytes += '\0';
  for (int k = 0; k < 4; ++k) bytes += static_cast<char>(header.size() >> (8 * k) & 0xff);
  const auto path = dir.write("v.npy", bytes + header);
  try {
    read_vector<double>(path);
    ADD_FAILURE() << "it was taken";
  } catch (const BadInput& e) {
    EXPECT_EQ(e.what(), path + ": the .npy header has 1048577 bytes, more than 1048576");
  }
}

TEST(FileInfo, FieldsAndSymmetriesHaveTheNamesOfMatrixMarket) {
  const TempDir dir;
  for (const Field field : {Field::real, Field::integer, Field::pattern})
    for (const Symmetry symmetry :
         {Symmetry::general, Symmetry::symmetric, Symmetry::skew_symmetric}) {
      if (field == Field::pattern && symmetry == Symmetry::skew_symmetric) continue;
      FileInfo info;
      const auto path =
          dir.write("a.mtx", "%%MatrixMarket matrix coordinate " + std::string(name(field)) + " " +
                                 std::string(name(symmetry)) + "\n2 2 1\n2 1" +
                                 (field == Field::pattern ? "\n" : " 3\n"));
      read_matrix<double, std::int32_t>(path, {.info = &info});
      EXPECT_EQ(info.field, field);
      EXPECT_EQ(info.symmetry, symmetry);
    }
}

}  // namespace
}  // namespace nz
