#include <nonzero/formats/blocks.hpp>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/formats/bsr.hpp>
#include <nonzero/generate.hpp>

#include "formats/battery.hpp"

namespace nz {
namespace {

using Matrix = Csr<double, std::int64_t>;
using Shape = std::pair<index_t, index_t>;

Shape shape(const BlockVerdict& v) { return {v.block_rows, v.block_cols}; }

struct Counted {
  Shape shape;
  std::int64_t blocks = 0;
  std::size_t bytes = 0;
};

// Every shape, each by marking the blocks of every line.
template <class T, class O>
std::vector<Counted> all_shapes(const CsrView<T, O>& a, bool square) {
  std::vector<Counted> all;
  for (const index_t r : block_sides())
    for (const index_t c : block_sides()) {
      if (square && r != c) continue;
      std::vector<bool> taken(static_cast<std::size_t>(a.rows / r + 1) *
                              static_cast<std::size_t>(a.cols / c + 1));
      for (index_t i = 0; i < a.rows; ++i)
        for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
          taken[static_cast<std::size_t>(i / r) * static_cast<std::size_t>(a.cols / c + 1) +
                static_cast<std::size_t>(a.columns[k] / c)] = true;
      const std::int64_t n = std::count(taken.begin(), taken.end(), true);
      const BsrView<T, O> grid{a.rows, a.cols, r, c, a.nnz, static_cast<O>(n), {}, {}, {}};
      all.push_back({{r, c}, n, grid.bytes()});
    }
  return all;
}

// With no slack, no shape has fewer bytes, and the verdict's own figures are right.
template <class T, class O>
void expect_smallest(const CsrView<T, O>& a, const std::string& name) {
  for (const bool square : {false, true}) {
    SCOPED_TRACE(name + (square ? ", square" : ""));
    const BlockVerdict v = detect_blocks(a, {.square = square, .slack = 0});
    EXPECT_TRUE(v.exact);
    EXPECT_EQ(v.csr_bytes, a.bytes());
    std::size_t fewest = static_cast<std::size_t>(-1);
    for (const Counted& s : all_shapes(a, square)) {
      fewest = std::min(fewest, s.bytes);
      if (s.shape != shape(v)) continue;
      EXPECT_EQ(v.blocks, s.blocks);
      EXPECT_EQ(v.bsr_bytes, s.bytes);
    }
    EXPECT_EQ(v.bsr_bytes, fewest) << v.block_rows << " x " << v.block_cols;
  }
}

// Dense blocks of r x c at random places of the grid, some side by side, cut off at the border.
Matrix blocked(index_t rows, index_t cols, index_t r, index_t c, double share, unsigned seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution there(share);
  std::vector<index_t> row, column;
  for (index_t i = 0; i < rows; i += r)
    for (index_t j = 0; j < cols; j += c)
      if (there(random))
        for (index_t k = i; k < std::min(rows, i + r); ++k)
          for (index_t l = j; l < std::min(cols, j + c); ++l) row.push_back(k), column.push_back(l);
  const std::vector<double> value(row.size(), 1.0);
  return csr_from_triplets<double, std::int64_t>(rows, cols, row, column, value);
}

TEST(Blocks, NothingSmallerIsFoundByTryingAll) {
  for (const auto& [name, matrix] : battery::all())
    if (matrix.nnz() > 0 && matrix.nnz() < 1000) expect_smallest(matrix.view(), name);
  for (const char* spec : {"fem:nx=3,ny=3,nz=2,block=3,blocks=9", "block-band:n=121,block=5",
                           "block-band:n=150,block=4,density=0.2", "grid:nx=12,ny=9,points=5"}) {
    const Matrix a = generate(spec).matrix;
    expect_smallest(a.view(), spec);
    expect_smallest(csr_cast<float, std::int32_t>(a.view()).view(), spec);
  }
}

TEST(Blocks, FindsTheShapeThatTheBlocksHave) {
  unsigned seed = 0;
  for (const index_t r : {1, 2, 3, 4, 5, 7, 8, 11, 16, 32})
    for (const index_t c : {1, 2, 3, 5, 6, 8, 13, 16, 32}) {
      if (r * c == 1) continue;
      SCOPED_TRACE(testing::Message() << r << " x " << c);
      // The last blocks are cut off, but not by so much that smaller ones would do as well.
      const index_t down = r - 1, right = c - 1;
      const index_t lines = r * c > 64 ? 40 : 120;
      const Matrix a = blocked(lines * r + down, lines * c + right, r, c, 0.1, ++seed);
      const BlockVerdict v = detect_blocks(a.view(), {.whole = 1 << 30});
      EXPECT_EQ(shape(v), Shape(r, c));
      EXPECT_EQ(v.padding_rows, down == 0 ? 0 : 1);
      EXPECT_EQ(v.padding_cols, right == 0 ? 0 : 1);
      const auto b = bsr_from_csr(a.view(), r, c);
      EXPECT_EQ(v.bsr_bytes, b.bytes());
      EXPECT_DOUBLE_EQ(v.fill_ratio, b.fill_ratio());
      EXPECT_EQ(shape(detect_blocks(a.view())), Shape(r, c)) << "by samples";
    }
}

TEST(Blocks, SamplesOfALargeMatrixSayTheSame) {
  for (const auto& [spec, side] : std::vector<std::pair<const char*, index_t>>{
           {"fem:nx=20,ny=20,nz=20,block=3,blocks=13", 3},
           {"fem:nx=12,ny=12,nz=12,block=6,blocks=20", 6},
           {"block-band:n=4000,block=5,density=0.05", 5},
           {"block-band:n=3001,block=7,density=0.03", 7}}) {
    SCOPED_TRACE(spec);
    const Matrix a = generate(spec).matrix;
    const BlockVerdict v = detect_blocks(a.view());
    EXPECT_FALSE(v.exact);
    EXPECT_LT(v.row_share, 1);
    EXPECT_EQ(shape(v), Shape(side, side));
    const auto b = bsr_from_csr(a.view(), side, side);
    EXPECT_NEAR(v.fill_ratio, b.fill_ratio(), 0.005);
    EXPECT_NEAR(v.ratio(), static_cast<double>(b.bytes()) / static_cast<double>(a.bytes()), 0.005);
  }
}

TEST(Blocks, NoneWhereNonePays) {
  for (const char* spec : {"diagonal:n=500", "diagonal:n=50000", "rmat:scale=12",
                           "random:rows=3000,cols=3000,density=0.003", "empty:rows=0,cols=0",
                           "empty:rows=7,cols=0", "empty:rows=0,cols=7", "empty:rows=7,cols=7"}) {
    SCOPED_TRACE(spec);
    const Matrix a = generate(spec).matrix;
    for (const bool square : {false, true}) {
      const BlockVerdict v = detect_blocks(a.view(), {.square = square});
      EXPECT_FALSE(v.pays()) << v.block_rows << " x " << v.block_cols;
      EXPECT_EQ(v.blocks, a.nnz());
      EXPECT_EQ(v.bsr_bytes, a.bytes());
      EXPECT_EQ(v.fill_ratio, 1);
    }
  }
}

// Blocks of 10 x 10, one quarter of one of them empty: as such they take 0.5 % fewer bytes than as
// blocks of 5 x 5, but some of those bytes are zeros.
TEST(Blocks, AFewBytesAreNotWorthZeros) {
  std::vector<index_t> row, column;
  for (index_t i = 0; i < 250; ++i)
    for (index_t j = i / 10 * 10; j < i / 10 * 10 + 10; ++j)
      if (i >= 5 || j < 5) row.push_back(i), column.push_back(j);
  const std::vector<double> value(row.size(), 1.0);
  const auto a = csr_from_triplets<double, std::int64_t>(250, 250, row, column, value);
  EXPECT_EQ(shape(detect_blocks(a.view())), Shape(5, 5));
  EXPECT_EQ(shape(detect_blocks(a.view(), {.fill_weight = 0})), Shape(10, 10));
  EXPECT_EQ(shape(detect_blocks(a.view(), {.slack = 0})), Shape(10, 10));
}

// Half of it natural blocks, half of it a diagonal: the bytes of both count.
TEST(Blocks, EntriesCountNotRows) {
  std::vector<index_t> row, column;
  for (index_t i = 0; i < 300; ++i)
    for (index_t j = 0; j < 300; ++j) row.push_back(i), column.push_back(j / 4 * 8 + j % 4);
  for (index_t i = 300; i < 6000; ++i) row.push_back(i), column.push_back(i % 600);
  const std::vector<double> value(row.size(), 1.0);
  const auto a = csr_from_triplets<double, std::int64_t>(6000, 700, row, column, value);
  const BlockVerdict sampled = detect_blocks(a.view());
  const BlockVerdict exact = detect_blocks(a.view(), {.whole = 1'000'000});
  EXPECT_FALSE(sampled.exact);
  EXPECT_TRUE(exact.exact);
  EXPECT_EQ(sampled.block_cols, exact.block_cols);
  EXPECT_NEAR(sampled.ratio(), exact.ratio(), 0.1);
}

// A row with very many entries, and rows of many runs: only a part of them is looked at.
TEST(Blocks, LongRows) {
  const Matrix wide = blocked(120, 60'000, 3, 3, 0.01, 1);
  EXPECT_EQ(shape(detect_blocks(wide.view())), Shape(3, 3));
  const Matrix flat = blocked(1, 300'000, 1, 4, 0.2, 2);
  const BlockVerdict v = detect_blocks(flat.view());
  EXPECT_EQ(shape(v), Shape(1, 4));
  const Matrix tall = blocked(300'000, 1, 4, 1, 0.2, 2);
  EXPECT_EQ(shape(detect_blocks(tall.view())), Shape(4, 1));
  const Matrix giant = generate("giant:n=100000,length=80000").matrix;
  EXPECT_LE(detect_blocks(giant.view()).ratio(), 1);
}

TEST(Blocks, ColumnsThatLieElsewhere) {
  for (const char* spec :
       {"fem:nx=4,ny=4,nz=4,block=3", "fem:nx=20,ny=20,nz=20,block=3,blocks=13",
        "block-band:n=2500,block=5,density=0.4", "giant:n=100000,length=80000"}) {
    SCOPED_TRACE(spec);
    const Matrix a = generate(spec).matrix;
    Pattern p(a.view());
    const BlockVerdict here = detect_blocks(p);
    // An offset stands for memory that cannot be read from here.
    std::vector<index_t> elsewhere(a.columns.begin(), a.columns.end());
    for (index_t& c : elsewhere) c = ~c;
    p.columns = elsewhere.data();
    p.fetch = [&](void* to, const void* from, std::size_t bytes) {
      const auto* c = static_cast<const index_t*>(from);
      ASSERT_GE(c, elsewhere.data());
      ASSERT_LE(c + bytes / sizeof(index_t), elsewhere.data() + elsewhere.size());
      std::transform(c, c + bytes / sizeof(index_t), static_cast<index_t*>(to),
                     [](index_t v) { return ~v; });
    };
    EXPECT_EQ(shape(detect_blocks(p)), shape(here));
  }
}

}  // namespace
}  // namespace nz
