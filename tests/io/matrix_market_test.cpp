#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "io/read_text.hpp"

namespace nz {
namespace {

const std::vector<double> two_by_three = {1, 0, 2.5, 0, -3, 0};

TEST(MatrixMarket, Plain) {
  FileInfo info;
  const auto a =
      read_text("%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2.5\n2 2 -3\n",
                usual_piece, &info);
  a.validate();
  EXPECT_EQ(dense(a), two_by_three);
  EXPECT_EQ(a.rows, 2);
  EXPECT_EQ(a.cols, 3);
  EXPECT_EQ(info.format, "Matrix Market coordinate");
  EXPECT_EQ(info.field, Field::real);
  EXPECT_EQ(info.symmetry, Symmetry::general);
  EXPECT_EQ(info.stored_entries, 3);
}

// Every liberty that files take, one after the other and all at once.
TEST(MatrixMarket, Liberties) {
  const char* same[] = {
      "%%MatrixMarket matrix coordinate real general\n2 3 3\n2 2 -3\n1 3 2.5\n1 1 1",
      "%%matrixmarket MATRIX Coordinate REAL GeNeRaL\n2 3 3\n1 1 1\n1 3 2.5\n2 2 -3\n",
      "%%MatrixMarket matrix coordinate real general\r\n2 3 3\r\n1 1 1\r\n1 3 2.5\r\n2 2 -3\r\n",
      "%%MatrixMarket matrix coordinate real general\r\n% c\r\n\r\n2 3 3\r\n1 1 1\r\n1 3 2.5\r\n2 "
      "2 -3\r",
      "%%MatrixMarket matrix coordinate real general\n% one\n%two\n%\n%% three\n2 3 3\n1 1 1\n1 3 "
      "2.5\n2 2 -3\n",
      "%%MatrixMarket matrix coordinate real general\n\n \n\t\n2 3 3\n\n1 1 1\n   \n1 3 2.5\n\t\n2 "
      "2 -3\n\n\n",
      "  %%MatrixMarket\tmatrix  coordinate real   general  \n \t2  3\t3 \n  1 1\t1\n1   3 2.5  "
      "\n\t2 2 -3\t\n",
      "%%MatrixMarket matrix coordinate real general\n2 3 3\n% here\n1 1 1\n  % and here\n1 3 "
      "2.5\n2 2 -3\n%",
      "%%MatrixMarket matrix coordinate double general\n2 3 3\n1 1 1.0e0\n1 3 +25E-1\n2 2 -.3e+1\n",
      "%%MatrixMarket matrix coordinate real general\n002 03 00000000000000000003\n01 "
      "0000000000000000000001 1.\n1 003 2.5\n2 2 -3\n",
      "%%MatrixMarket matrix coordinate real general\n2 3 5\n1 1 0.5\n1 3 2.5\n2 2 -4\n1 1 0.5\n2 "
      "2 1\n",
      "%%MatrixMarket matrix array real general\n2 3\n1\n0\n0\n-3\n2.5\n0\n",
      "%%MatrixMarket matrix array real general\n% c\n2 3\n 1 \n\n0.0\n-0\n% c\n-3e0\n2.5\r\n0",
  };
  for (const char* text : same)
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, usual_piece}) {
      const auto a = read_text(text, piece);
      a.validate();
      EXPECT_EQ(dense(a), two_by_three) << text;
      EXPECT_EQ(a.nnz(), 3) << text;
    }
}

TEST(MatrixMarket, Fields) {
  FileInfo info;
  const auto integer = read_text(
      "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 -7\n2 1 9007199254740993\n",
      usual_piece, &info);
  EXPECT_EQ(dense(integer), (std::vector<double>{0, -7, 9007199254740992.0, 0}));
  EXPECT_EQ(info.field, Field::integer);
  const auto pattern = read_text(
      "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n", usual_piece, &info);
  EXPECT_EQ(dense(pattern), (std::vector<double>{0, 1, 1, 0}));
  EXPECT_EQ(info.field, Field::pattern);
  const auto unsigned_integer =
      read_text("%%MatrixMarket matrix array unsigned-integer general\n1 2\n3\n4\n");
  EXPECT_EQ(dense(unsigned_integer), (std::vector<double>{3, 4}));
  // Twice the same place in a pattern: summed, as everywhere.
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix coordinate pattern general\n1 1 2\n1 1\n1 1\n")),
            (std::vector<double>{2}));
}

TEST(MatrixMarket, Symmetries) {
  FileInfo info;
  const auto s = read_text(
      "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n3 3 4\n",
      usual_piece, &info);
  s.validate();
  EXPECT_EQ(dense(s), (std::vector<double>{1, 2, 0, 2, 0, 3, 0, 3, 4}));
  EXPECT_EQ(info.symmetry, Symmetry::symmetric);
  EXPECT_EQ(info.stored_entries, 4);
  const auto k =
      read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 2 3\n",
                usual_piece, &info);
  EXPECT_EQ(dense(k), (std::vector<double>{0, -2, 0, 2, 0, -3, 0, 3, 0}));
  EXPECT_EQ(info.symmetry, Symmetry::skew_symmetric);
  // Zeros on a skew-symmetric diagonal are superfluous, not wrong.
  EXPECT_EQ(read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 1 1\n")
                .nnz(),
            3);
  EXPECT_EQ(
      dense(read_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n")),
      (std::vector<double>{1, 1, 1, 0}));
  // The upper triangle is taken for the lower one.
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n1 2 5\n")),
            (std::vector<double>{0, 5, 5, 0}));
  EXPECT_EQ(
      dense(read_text("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 4)),
      (std::vector<double>{1, 2, 3, 2, 4, 5, 3, 5, 6}));
  EXPECT_EQ(dense(read_text("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", 2)),
            (std::vector<double>{0, -1, -2, 1, 0, -3, 2, 3, 0}));
}

TEST(MatrixMarket, Empty) {
  for (const char* shape : {"0 0", "0 5", "5 0", "3 4"}) {
    const auto a =
        read_text(fmt::format("%%MatrixMarket matrix coordinate real general\n{} 0\n", shape));
    a.validate();
    EXPECT_EQ(fmt::format("{} {}", a.rows, a.cols), shape);
    EXPECT_EQ(a.nnz(), 0);
  }
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real general\n0 3\n").cols, 3);
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real general\n3 0").rows, 3);
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real skew-symmetric\n1 1\n").nnz(), 0);
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real skew-symmetric\n0 0\n").nnz(), 0);
}

TEST(MatrixMarket, ExplicitZerosStayInCoordinateFiles) {
  EXPECT_EQ(read_text("%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 0\n").nnz(), 1);
}

TEST(MatrixMarket, ManyEmptyRowsAreLegal) {
  const auto a = read_large<float, std::int64_t>(
      "%%MatrixMarket matrix coordinate real general\n10000000 10000000 1\n9999999 10000000 2\n");
  EXPECT_EQ(a.offsets[9999998], 0);
  EXPECT_EQ(a.offsets[9999999], 1);
  EXPECT_EQ(a.columns[0], 9999999);
}

// A file with entries in random order, duplicates, comments and odd spacing.
std::string messy_file(Symmetry symmetry, index_t n, int entries) {
  std::mt19937_64 random(5);
  std::string body;
  for (int k = 0; k < entries; ++k) {
    auto i = 1 + random() % static_cast<std::uint64_t>(n),
         j = 1 + random() % static_cast<std::uint64_t>(n);
    if (symmetry == Symmetry::skew_symmetric && i == j) i = i % static_cast<std::uint64_t>(n) + 1;
    if (random() % 50 == 0) body += "% comment\n\n";
    body += fmt::format("{}{} {}{}\n", random() % 20 ? "" : " ", i, j,
                        fmt::format(" {}", static_cast<double>(random() >> 40) * 1e-3));
  }
  return fmt::format("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n", name(symmetry), n, n,
                     entries) +
         body;
}

TEST(MatrixMarket, SameForEveryNumberOfThreadsAndPieces) {
  const int before = threads();
  for (const auto symmetry : {Symmetry::general, Symmetry::symmetric, Symmetry::skew_symmetric})
    for (const index_t n : {3, 500, 100000}) {
      const std::string text = messy_file(symmetry, n, 20000);
      set_threads(1);
      const auto expected = read_text(text);
      expected.validate();
      for (const int count : {1, 2, 3, 7})
        for (const std::size_t piece : {std::size_t{1000}, std::size_t{65536}}) {
          set_threads(count);
          EXPECT_EQ(read_text(text, piece), expected) << count << " threads, pieces of " << piece;
        }
    }
  set_threads(before);
}

// The first broken line is named whatever the number of threads and pieces, and whatever is wrong
// behind it.
TEST(MatrixMarket, LineNumbersInParallel) {
  const int before = threads();
  std::string text = "%%MatrixMarket matrix coordinate real general\n% comment\n100 100 5000\n";
  std::vector<std::size_t> start;
  for (int k = 0; k < 5000; ++k) {
    start.push_back(text.size());
    text += k % 9 == 0 ? "\n1 2 3.25\n" : "55 66 -1.5e3\n";
  }
  for (const std::size_t bad : {std::size_t{0}, std::size_t{1234}, std::size_t{4990}}) {
    std::string broken = text;
    for (const std::size_t later : {bad, bad + 1, std::size_t{4999}})
      broken[broken.find('.', start[later])] = 'x';
    const auto line =
        1 + std::count(text.begin(),
                       text.begin() + static_cast<std::ptrdiff_t>(broken.find('x', start[bad])),
                       '\n');
    for (const int count : {1, 2, 3, 7}) {
      set_threads(count);
      for (const std::size_t piece : {std::size_t{100}, std::size_t{5000}, usual_piece}) try {
          read_text(broken, piece);
          ADD_FAILURE() << "not refused";
        } catch (const BadInput& error) {
          EXPECT_EQ(
              std::string(error.what()).rfind(fmt::format("a.mtx:{}: expected a number", line), 0),
              0u)
              << error.what();
        }
    }
  }
  set_threads(before);
}

TEST(MatrixMarket, LongLinesAndLongIndices) {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n% " +
                           std::string(100000, 'c') + "\n12345678 12345678 2\n12345678 12345678 1" +
                           std::string(50000, ' ') + "\n%" + std::string(50000, 'd') +
                           "\n1234567 1 2";
  const auto a = read_large<double, std::int32_t>(text, 100);
  EXPECT_EQ(a.nnz(), 2);
  EXPECT_EQ(a.offsets[1234567], 1);
  EXPECT_EQ(a.columns[1], 12345677);
}

TEST(MatrixMarket, FloatIsNearestToTheText) {
  // Halfway between two floats but for the last digit: rounding to double first would lose it.
  const auto a = read_text<float, std::int32_t>(
      "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 "
      "1.00000017881393432617187500001\n");
  EXPECT_EQ(a.values[0], 1.00000023841857910156f);
}

TEST(MatrixMarket, NanAndInfinityOnRequest) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n2 3 4\n"
      "1 1 NaN\n1 2 -Inf\n2 1 1.5\n2 3 infinity \n";
  const auto read = [](const std::string& bytes, std::size_t piece = usual_piece) {
    return read_matrix_source<double, std::int32_t>(MemorySource("a.mtx", bytes),
                                                    {.allow_nan = true}, piece);
  };
  EXPECT_THROW(read_text(text), BadInput);
  for (const std::size_t piece : {usual_piece, std::size_t{16}}) {
    const auto a = read(text, piece);
    EXPECT_EQ(a.columns, (Array<index_t>{0, 1, 0, 2}));
    EXPECT_TRUE(std::isnan(a.values[0]));
    EXPECT_EQ(a.values[1], -INFINITY);
    EXPECT_EQ(a.values[2], 1.5);
    EXPECT_EQ(a.values[3], INFINITY);
  }
  const std::string array = "%%MatrixMarket matrix array real general\n3 1\nnan\n0\n-inf\n";
  EXPECT_EQ(read(array).nnz(), 2);
  const auto v =
      read_vector_source<float>(MemorySource("v.mtx", array), {.allow_nan = true}, usual_piece);
  EXPECT_TRUE(std::isnan(v[0]));
  EXPECT_EQ(v[2], -INFINITY);
  // Nothing else becomes a number, and no integer is NaN.
  for (const char* bad : {"na", "nano", "in", "infin", "-", "nan(1)", "+-inf", "nan5"})
    EXPECT_THROW(read(std::string("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 ") +
                      bad + "\n"),
                 BadInput)
        << bad;
  EXPECT_THROW(read("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 nan\n"),
               BadInput);
}

}  // namespace
}  // namespace nz
