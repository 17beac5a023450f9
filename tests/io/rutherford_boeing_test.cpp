// Rutherford-Boeing and Harwell-Boeing texts: fixed columns, Fortran's formats, and broken ones.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/fortran_format.hpp"
#include "io/packed.hpp"
#include "io/refusals.hpp"

namespace nz {
namespace {

// The head of a file; the title and its key are 80 columns.
std::string head(const std::string& type, const std::string& sizes, const std::string& formats,
                 const std::string& cards = "3 1 1 1") {
  return fmt::format("{:72}{:8}\n{}\n{:14}{}\n{}\n", "a matrix", "key", cards, type, sizes,
                     formats);
}
const std::string pattern_formats = "(16I5)          (16I5)";
const std::string real = head("RUA", "3 2 3 0", "(16I5)          (16I5)          (1P,5E16.8)");

Csr<double, std::int32_t> read(const std::string& text, FileInfo* info = nullptr) {
  return read_matrix_bytes<double, std::int32_t>({"any", {text.data(), text.size()}}, {}, info);
}

TEST(RutherfordBoeing, AsSciPyWritesThem) {
  const std::string file = NZ_SOURCE_DIR "/tests/fuzz/corpus/other_files/scipy.rua";
  EXPECT_EQ(dense(read_matrix<double, std::int32_t>(file)),
            (std::vector<double>{1.5, 0, 0, 0, -2, 0, 3, 0, 4, 0, 0, 0.25}));
}

TEST(RutherfordBoeing, TypesAndSymmetries) {
  FileInfo info;
  const std::string text = real + "    1    3    4\n    3    1    2\n" +
                           "  1.00000000E+00 -2.50000000E+00  3.00000000E-02\n";
  const std::vector<double> expected{-2.5, 0, 0, 0.03, 1, 0};
  EXPECT_EQ(dense(read(text, &info)), expected);
  EXPECT_EQ(info.format, "Rutherford-Boeing");
  EXPECT_EQ(info.symmetry, Symmetry::general);
  EXPECT_EQ(dense(read(gzip(text))), expected);
  const std::string lower = head("rra", "3 2 3 0", "(16i5)          (16i5)          (1p,5e16.8)");
  EXPECT_EQ(dense(read(lower + text.substr(real.size()))), expected);
  EXPECT_EQ(dense(read(head("PSA", "2 2 2 0", pattern_formats, "2 1 1 0") +
                           "    1    3    3\n    1    2\n",
                       &info)),
            (std::vector<double>{1, 1, 1, 0}));
  EXPECT_EQ(info.field, Field::pattern);
  EXPECT_EQ(info.symmetry, Symmetry::symmetric);
  EXPECT_EQ(dense(read(head("IZA", "2 2 1 0", "(3I2) (3I2) (4I3)") + " 1 2 2\n 2\n  7\n", &info)),
            (std::vector<double>{0, -7, 7, 0}));
  EXPECT_EQ(info.field, Field::integer);
  // Harwell-Boeing: a line about right-hand sides, which follow the values.
  EXPECT_EQ(dense(read(head("RUA", "1 1 1 0", "(2I2) (1I1) (F4.1) (F4.1)", "5 1 1 1 1") +
                       "F             1             0\n 1 2\n1\n 2.5\n 9.9\n")),
            (std::vector<double>{2.5}));
  // Real, but without values.
  EXPECT_EQ(dense(read(head("RUA", "1 1 1 0", "(2I2) (1I1)", "2 1 1 0") + " 1 2\n1\n")),
            (std::vector<double>{1}));
}

TEST(RutherfordBoeing, ColumnsWithoutBlanksAndLinesThatAreCut) {
  // Widths alone tell numbers apart; lines may end in blanks, in CR, or before them.
  const std::string h = head("RUA", "12 3 4 0", "(3I1) (2I2) (2D9.2)");
  std::vector<double> expected(36, 0.0);
  expected[0] = -1;
  expected[11 * 3 + 1] = 0.125;
  expected[9 * 3 + 1] = 25;
  expected[1 * 3 + 2] = -3.5;
  EXPECT_EQ(dense(read(h + "124\n5\n 112\r\n10 2   \n-1.00D+00 1.25D-01\n 2.50+001-3.5E0\n")),
            expected);
}

// As SciPy's hb_write does it: (3E25.16), and numbers of 24 columns.
TEST(RutherfordBoeing, WritersThatDoNotKeepToTheirColumns) {
  EXPECT_EQ(dense(read(head("RUA", "1 3 3 0", "(4I2) (3I2) (3E9.1)") +
                       " 1 2 3 4\n 1 1 1\n 1.5E+00 -2.5E+00 -3.5E+00\n")),
            (std::vector<double>{1.5, -2.5, -3.5}));
}

TEST(RutherfordBoeing, Formats) {
  FortranFormat f;
  ASSERT_TRUE(parse_format("(1P,5E16.8)", f));
  EXPECT_EQ(f.count, 5u);
  EXPECT_EQ(f.width, 16u);
  EXPECT_EQ(f.digits, 8);
  EXPECT_EQ(f.scale, 1);
  ASSERT_TRUE(parse_format(" ( 1p4d20.12 ) ", f));
  EXPECT_EQ(f.letter, 'D');
  ASSERT_TRUE(parse_format("(3E25.16E3)", f));
  ASSERT_TRUE(parse_format("(I8)", f));
  EXPECT_EQ(f.count, 1u);
  for (const char* bad :
       {"", "()", "(I)", "(0I5)", "(16I0)", "(16I999)", "(99999I5)", "(3X5)", "16I5", "(16I5",
        "(16I5))", "(3(1X,E24.16))", "(-3I5)", "(1000P,E9.2)", "(E9.)"})
    EXPECT_FALSE(parse_format(bad, f)) << bad;
}

TEST(RutherfordBoeing, NumbersAsFortranReadsThem) {
  const FortranFormat e{1, 20, 'E', 2, 0}, scaled{1, 20, 'F', 3, 1};
  const auto value = [](const char* text, const FortranFormat& f) {
    double v = -99;
    EXPECT_EQ(fortran_number(text, f, false, v), number::Result::ok) << text;
    return v;
  };
  EXPECT_EQ(value("  1.5", e), 1.5);
  EXPECT_EQ(value("150", e), 1.5) << "the point is left out";
  EXPECT_EQ(value("150E1", e), 15.0);
  EXPECT_EQ(value("-1.5D-03 ", e), -1.5e-3);
  EXPECT_EQ(value("1.5-100", e), 1.5e-100) << "no room for the letter";
  EXPECT_EQ(value("1.5E 03", e), 1500.0) << "blanks do not count";
  EXPECT_EQ(value("15.0", scaled), 1.5) << "without an exponent the scale counts";
  EXPECT_EQ(value("15.0E0", scaled), 15.0);
  EXPECT_EQ(value(".5", e), 0.5);
  EXPECT_EQ(value("5.", e), 5.0);
  EXPECT_EQ(value("1E-999", e), 0.0);
  double v = 0;
  for (const char* bad : {"", "   ", ".", "-", "E5", "1E", "1E+", "1.2.3", "1-", "1E5E5", "1E5-3",
                          "nan", "inf", "0x1", "1,5", "+-1"})
    EXPECT_EQ(fortran_number(bad, e, false, v), number::Result::no_number) << bad;
  EXPECT_EQ(fortran_number(std::string(200, '1'), e, false, v), number::Result::no_number);
  EXPECT_EQ(fortran_number("1.0D999", e, false, v), number::Result::too_large);
  for (const char* word : {"NaN", "  -inf ", "+Infinity"}) {
    EXPECT_EQ(fortran_number(word, e, true, v), number::Result::ok) << word;
    EXPECT_FALSE(std::isfinite(v)) << word;
  }
  for (const char* bad : {"", "  ", "nanx", "in", "n an", "--inf"})
    EXPECT_EQ(fortran_number(bad, e, true, v), number::Result::no_number) << bad;
  EXPECT_EQ(fortran_number("1.5", e, true, v), number::Result::ok);
  EXPECT_EQ(v, 1.5);
}

TEST(RutherfordBoeing, Hostile) {
  const std::string good = "    1    3    4\n    3    1    2\n" +
                           std::string("  1.00000000E+00 -2.50000000E+00  3.00000000E-02\n");
  const auto typed = [&](const std::string& type) {
    return head(type, "3 3 3 0", "(16I5) (16I5) (5E16.8)");
  };
  const auto sized = [&](const std::string& sizes) {
    return head("RUA", sizes, "(16I5) (16I5) (5E16.8)");
  };
  test::expect_refusals(
      "a.rb",
      {{"", ":0: the file ends before its title"},
       {"title\n", ":1: the file ends before the numbers of lines"},
       {"title\n1 x\n", ":2: expected a whole number, found 'x'"},
       {"title\n1 1 1\n", ":2: 3 numbers of lines"},
       {"title\n3 1 1 1\nRU\n", ":3: no type of matrix"},
       {typed("CUA"), ":3: type CUA: complex"},
       {typed("RHA"), ":3: type RHA: hermitian"},
       {typed("RUE"), ":3: type RUE: matrices of elements"},
       {typed("QUA"), "first letter is not one of R, P, I"},
       {typed("RXA"), "second letter"},
       {typed("RUX"), "third letter"},
       {head("PZA", "3 3 3 0", "(I5) (I5)"), "cannot be skew-symmetric"},
       {head("RSA", "3 2 3 0", "(I5) (I5) (F5.1)"), "cannot be symmetric"},
       {sized("3 2"), ":3: 2 sizes, needs 3"},
       {sized("3 -2 1"), "found '-2'"},
       {sized("4000000000 2 1"), "is beyond 2147483647"},
       {sized("99999999999999999999999 2 1"), "expected a whole number"},
       {sized("2000000000 2 1"), "bytes of memory"},
       {sized("3 2000000000 1"), "bytes of memory"},
       {head("RUA", "3 2 3", ""), ":4: no format of pointers"},
       {head("RUA", "3 2 3", "(16I5) (16F5.1) (5E16.8)"), "the format of indices, '(16F5.1)'"},
       {head("RUA", "3 2 3", "(16I5) (16I5)"), ":4: no format of values"},
       {head("IUA", "3 2 3", "(16I5) (16I5) (5E16.8)"), "the format of values"},
       {real, ":4: the file ends before the pointers"},
       {real + "    1    3\n", ":5: nothing where one of the pointers should be"},
       {real + "    1    3    x\n", "'x' is no pointer"},
       {real + "    0    3    4\n", "pointer 1 is 0: pointers rise from 1 to 4"},
       {real + "    1    4    3\n", "pointer 3 is 3"},
       {real + "    1    9    4\n", "pointer 2 is 9"},
       {real + "    1    2    3\n", "the last pointer is 3, but 3 entries"},
       {real + "    1    3    4\n    3    1    4\n", ":6: row 4 is not from 1 to 3"},
       {real + "    1    3    4\n    3    0    1\n", "row 0 is not from 1 to 3"},
       {real + "    1    3    4\n    3    1\n", ":6: nothing where one of the row indices"},
       {real + "    1    3    4\n    3    1    2\n", ":6: the file ends before the values"},
       {real + "    1    3    4\n    3    1    2\n            nan\n", "nan' is no number"},
       {real + "    1    3    4\n    3    1    2\n   1.0E+400\n", "does not fit 64-bit"},
       // Entries that nobody has.
       {sized("3 2 999999999999") + "    1    1    1\n", "the last pointer is 1"},
       {head("RUA", "3 1 999999999999", "(1I20) (16I5) (5E16.8)") +
            fmt::format("{:20}\n{:20}\n    1\n", 1, 1000000000000),
        ":7: nothing where one of the row indices should be"},
       {head("RZA", "1 1 1", "(2I2) (I2) (F4.1)") + " 1 2\n 1\n 1.0\n",
        "entry (1, 1) of a skew-symmetric matrix is not zero"},
       {head("RUA", "1 1 1", "(2I2) (I2) (F4.1)") + std::string(5 << 20, '1'),
        ":5: the line is longer than 4 MiB"}});
  test::expect_every_cut_refused("a.rb", real + good, real.size() + 16 * 2 + 32);
  test::expect_refusals("a.mtx", {{gzip(real + good).substr(0, 60), "gzip data ends early"}});
}

}  // namespace
}  // namespace nz
