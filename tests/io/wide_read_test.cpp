#include <nonzero/wide_io.hpp>

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

#include "support/temp_dir.hpp"

// Matrix Market with more rows and columns than 32 bits count.
namespace nz::test {
namespace {

class WideRead : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) {
    const std::filesystem::path path = dir("wide.mtx");
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  template <class E>
  std::string said(const std::string& text) {
    try {
      read_wide<double>(file(text));
    } catch (const E& e) {
      const std::string what = e.what();
      return what.substr(what.find("wide.mtx") + 8);
    }
    return "nothing was thrown";
  }
  TempDir dir;
};

using Indices = Array<std::int64_t>;

TEST_F(WideRead, TakesAnyShape) {
  const auto a = read_wide<float>(
      file("%%MatrixMarket matrix coordinate real general\n% few of many\n"
           "3 2148532224 4\n1 1 1.5\n\n3 2148532224 -2\n1 1 4\n2 2147483649 1e3\n"));
  EXPECT_EQ(
      a, (WideCoo<float>{3, 2148532224, Indices{0, 2, 0, 1}, Indices{0, 2148532223, 0, 2147483648},
                         Array<float>{1.5f, -2, 4, 1000}}));
  EXPECT_NO_THROW(a.validate());
  EXPECT_EQ(read_wide<double>(file("%%MatrixMarket matrix coordinate pattern general\n"
                                   "9000000000000000000 1 1\n  9000000000000000000\t1  \r\n"))
                .row_index,
            Indices{8999999999999999999});
  EXPECT_EQ(read_wide<double>(file("%%MatrixMarket matrix coordinate integer general\n0 0 0\n")),
            WideCoo<double>{});
}

TEST_F(WideRead, ExpandsSymmetries) {
  FileInfo info;
  const auto a = read_wide<double>(file("%%MatrixMarket matrix coordinate integer symmetric\n"
                                        "4294967296 4294967296 2\n4294967296 1 7\n5 5 8\n"),
                                   {.info = &info});
  EXPECT_EQ(a.row_index, (Indices{4294967295, 0, 4}));
  EXPECT_EQ(a.col_index, (Indices{0, 4294967295, 4}));
  EXPECT_EQ(a.values, (Array<double>{7, 7, 8}));
  EXPECT_EQ(info.stored_entries, 2);
  EXPECT_EQ(info.symmetry, Symmetry::symmetric);
  EXPECT_EQ(read_wide<double>(file("%%MatrixMarket matrix coordinate real skew-symmetric\n"
                                   "4294967296 4294967296 1\n4294967296 1 7\n"))
                .values,
            (Array<double>{7, -7}));
}

TEST_F(WideRead, SaysWhatIsWrongAndWhere) {
  const std::string top = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(said<BadInput>(top + "2 5000000000 1\n1 5000000001 1\n"),
            ":3: column 5000000001 exceeds 5000000000");
  EXPECT_EQ(said<BadInput>(top + "2 5000000000 1\n1 99999999999999999999999 1\n"),
            ":3: column 99999999999999999999999 exceeds 5000000000");
  EXPECT_EQ(said<BadInput>(top + "2 5000000000 1\n0 5 1\n"), ":3: row 0: counting starts at 1");
  EXPECT_EQ(said<BadInput>(top + "2 5000000000 1\n1 5\n"),
            ":3: expected a number, found the end of the line");
  EXPECT_EQ(said<BadInput>(top + "2 5000000000 1\nx 5 1\n"),
            ":3: expected a row number, found 'x'");
  EXPECT_EQ(said<BadInput>(top + "2 5000000000 1\n1 5 1 2\n"),
            ":3: unexpected '2' after the entry");
  EXPECT_EQ(said<BadInput>(top + "2 5000000000 2\n1 5 1\n"),
            ":3: the file ends after 1 of 2 entries");
  EXPECT_EQ(said<BadInput>(top + "2 5000000000 1\n1 5 1\n1 6 1\n"),
            ":4: more than the 1 entries announced");
  EXPECT_EQ(said<BadInput>(top + "2 5000000000 1\n1 5 nan\n"),
            ":3: expected a number, found 'nan'");
  EXPECT_EQ(said<BadInput>("%%MatrixMarket matrix array real general\n2 1\n1\n2\n"),
            ":2: a wide matrix must be coordinate, this is array");
  EXPECT_EQ(said<BadInput>("%%MatrixMarket matrix coordinate real symmetric\n2 5000000000 0\n"),
            ":2: 2 x 5000000000 cannot be symmetric");
}

TEST_F(WideRead, OtherReadersNameIt) {
  const auto path = file("%%MatrixMarket matrix coordinate real general\n3 2148532224 0\n");
  try {
    read_matrix<double, std::int32_t>(path);
    FAIL();
  } catch (const BadInput& e) {
    EXPECT_NE(std::string(e.what()).find(":2: 2148532224 columns are more than 2147483647; "
                                         "nz::read_wide() reads such matrices"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace nz::test
