#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <nonzero/error.hpp>

#include "generate/matrix_facts.hpp"

// Families whose matrices follow from a definition: counts of the ones that others publish.
namespace nz {
namespace {

using test::for_entries;
using test::length;
using test::longest;
using test::make;
using test::shortest;
using test::symmetric;

void expect_size(const char* spec, index_t rows, index_t cols, std::int64_t nnz) {
  const MatrixSize size = estimate(spec);
  EXPECT_EQ(size.rows, rows) << spec;
  EXPECT_EQ(size.cols, cols) << spec;
  EXPECT_EQ(size.nonzeros, static_cast<double>(nnz)) << spec;
  const GeneratedMatrix a = make(spec);
  EXPECT_EQ(a.rows, rows) << spec;
  EXPECT_EQ(a.cols, cols) << spec;
  EXPECT_EQ(a.nnz(), nnz) << spec;
}

TEST(Exact, HasTheSizesThatArePublished) {
  expect_size("heisenberg:sites=22,up=11", 705432, 705432, 8834696);
  expect_size("chessboard:m=8,n=8,rooks=6", 564480, 376320, 3386880);  // ch8-8-b5
  expect_size("bibd:points=22,block=8", 231, 319770, 8953560);         // bibd_22_8
  expect_size("qap:n=30", 52260, 379350, 1567800);                     // lp_nug30
}

// The product of dense copies, row by column.
std::vector<double> product(const GeneratedMatrix& a, const GeneratedMatrix& b) {
  std::vector<double> c(static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(b.cols));
  for_entries(a, [&](index_t i, index_t k, double v) {
    for (auto t = b.offsets[static_cast<std::size_t>(k)];
         t < b.offsets[static_cast<std::size_t>(k) + 1]; ++t)
      c[static_cast<std::size_t>(i) * static_cast<std::size_t>(b.cols) +
        static_cast<std::size_t>(b.columns[static_cast<std::size_t>(t)])] +=
          v * b.values[static_cast<std::size_t>(t)];
  });
  return c;
}

TEST(Chessboard, TheBoundaryOfABoundaryIsNothing) {
  const GeneratedMatrix b3 = make("chessboard:m=4,n=5,rooks=3"),
                        b2 = make("chessboard:m=4,n=5,rooks=2"),
                        b1 = make("chessboard:m=4,n=5,rooks=1");
  EXPECT_EQ(b3.cols, b2.rows);
  for (const double v : product(b3, b2)) ASSERT_EQ(v, 0);
  for (const double v : product(b2, b1)) ASSERT_EQ(v, 0);
  EXPECT_THROW(make("chessboard:m=3,n=5,rooks=4"), InvalidArgument);
}

TEST(Bibd, EveryPairIsInAsManyBlocksAndEveryBlockHasItsPairs) {
  const GeneratedMatrix a = make("bibd:points=9,block=4");
  EXPECT_EQ(shortest(a), 21);  // 2 of the other 7
  EXPECT_EQ(longest(a), 21);
  const GeneratedMatrix t = transpose(a.view());
  EXPECT_EQ(shortest(t), 6);  // pairs of 4
  EXPECT_EQ(longest(t), 6);
  // Two pairs with a point in common are together in 6 blocks of 4 of 9, others in one.
  const std::vector<double> c = product(a, t);
  for (std::size_t i = 0; i < 36; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(c[i * 36 + j] == 6 || c[i * 36 + j] == 1);
}

// An assignment satisfies all constraints: sums are 1 in the first 2n, 0 in the others.
TEST(Qap, AnAssignmentIsASolution) {
  constexpr int n = 4;
  const GeneratedMatrix a = make("qap:n=4");
  const int place[n] = {2, 0, 3, 1};
  std::vector<double> x(static_cast<std::size_t>(a.cols));
  std::size_t y = n * n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) x[static_cast<std::size_t>(i * n + j)] = place[i] == j;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = i + 1; k < n; ++k)
        for (int l = 0; l < n; ++l)
          if (l != j) x[y++] = place[i] == j && place[k] == l;
  ASSERT_EQ(y, x.size());
  std::vector<double> sums(static_cast<std::size_t>(a.rows));
  for_entries(a, [&](index_t i, index_t j, double v) {
    sums[static_cast<std::size_t>(i)] += v * x[static_cast<std::size_t>(j)];
  });
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], i < 2 * n ? 1 : 0) << i;
}

// The lowest energy of four spins on a ring is -2.
TEST(Heisenberg, HasTheKnownStatesOfFourSpins) {
  const GeneratedMatrix a = make("heisenberg:sites=4,up=2");
  EXPECT_TRUE(symmetric(a));
  ASSERT_EQ(a.rows, 6);
  // 0011, 0101, 0110, 1001, 1010, 1100: up spins side by side weigh -1, apart 2.
  const double ground[] = {-1, 2, -1, -1, 2, -1};
  std::vector<double> image(6);
  for_entries(a, [&](index_t i, index_t j, double v) {
    image[static_cast<std::size_t>(i)] += v * ground[j];
  });
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(image[i], -2 * ground[i]) << i;
  // An open chain has one bond less, a field changes the diagonal alone.
  EXPECT_EQ(make("heisenberg:sites=4,up=2,periodic=0").nnz(), 6 + 3 * 4);
  const GeneratedMatrix field = make("heisenberg:sites=4,up=2,field=1");
  EXPECT_EQ(field.columns, a.columns);
  for_entries(field, [](index_t i, index_t j, double v) {
    if (i != j) {
      EXPECT_EQ(v, 0.5);
    }
  });
  EXPECT_THROW(make("heisenberg:sites=4,up=5"), InvalidArgument);
}

}  // namespace
}  // namespace nz
