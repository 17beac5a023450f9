#include <gtest/gtest.h>
#include <nonzero/formats.hpp>

#include "formats/figures.hpp"

// Every format's arrays, element for element, for one small matrix.
namespace nz {
namespace {

TEST(Layout, Coo) {  // figure 2.1
  const Coo<double> want{6,
                         6,
                         {0, 0, 0, 0, 1, 1, 1, 2, 3, 3, 5, 5},
                         {0, 1, 4, 5, 0, 2, 4, 1, 1, 3, 1, 5},
                         {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  const Coo<double> a = coo_from_csr(figure_matrix().view());
  EXPECT_TRUE(a == want);
  EXPECT_EQ(a.bytes(), 12 * sizeof(double) + 2 * 12 * sizeof(index_t));  // equation 2.1
}

TEST(Layout, Csr) {  // figure 2.2
  const auto a = figure_matrix();
  EXPECT_NO_THROW(a.validate());
  // Equation 2.2, with indices as wide as offsets.
  EXPECT_EQ(a.bytes(), 12 * sizeof(double) + 12 * sizeof(index_t) + (6 + 1) * sizeof(index_t));
}

TEST(Layout, EllRowByRowAsInFigure23) {
  const Ell<double> a = ell_from_csr(figure_matrix().view());
  EXPECT_EQ(a.width, 4);
  const std::vector<double> figure = {1, 2,  3, 4, 5, 6, 7, 0, 8,  0,  0, 0,
                                      9, 10, 0, 0, 0, 0, 0, 0, 11, 12, 0, 0};
  const std::vector<index_t> columns = {0, 1, 4,  5,  0,  2,  4,  -1, 1, -1, -1, -1,
                                        1, 3, -1, -1, -1, -1, -1, -1, 1, 5,  -1, -1};
  std::size_t at = 0;
  for (index_t i = 0; i < 6; ++i)
    for (index_t s = 0; s < 4; ++s, ++at) {
      EXPECT_EQ(a.values[a.view().slot(i, s)], figure[at]) << i << ", " << s;
      EXPECT_EQ(a.columns[a.view().slot(i, s)], columns[at]) << i << ", " << s;
    }
  // Equation 2.3 with m = 6 and k = 4.
  EXPECT_EQ(a.bytes(), 6 * 4 * sizeof(double) + 6 * 4 * sizeof(index_t));
  EXPECT_EQ(a.fill(), 12);
  EXPECT_EQ(a.fill_ratio(), 2);
}

TEST(Layout, EllLiesSlotBySlot) {
  const Ell<double> want{6,
                         6,
                         4,
                         12,
                         {0, 0, 1,  1,  -1, 1,  //
                          1, 2, -1, 3,  -1, 5,  //
                          4, 4, -1, -1, -1, -1, 5, -1, -1, -1, -1, -1},
                         {1, 5, 8, 9,  0, 11,  //
                          2, 6, 0, 10, 0, 12,  //
                          3, 7, 0, 0,  0, 0,   //
                          4, 0, 0, 0,  0, 0}};
  EXPECT_TRUE(ell_from_csr(figure_matrix().view()) == want);
}

TEST(Layout, Csc) {
  const Csc<double, std::int32_t> want{6,
                                       6,
                                       {0, 2, 6, 7, 8, 10, 12},
                                       {0, 1, 0, 2, 3, 5, 1, 3, 0, 1, 0, 5},
                                       {1, 5, 2, 8, 9, 11, 6, 10, 3, 7, 4, 12}};
  const auto a = csc_from_csr(figure_matrix().view());
  EXPECT_TRUE(a == want);
  EXPECT_EQ(a.bytes(), 12 * 12 + 7 * 4u);
}

TEST(Layout, SellSortsInWindowsAndCutsSlices) {
  // Lengths are 4 3 1 2 | 0 2.
  const Sell<double, std::int32_t> want{6,
                                        6,
                                        2,
                                        4,
                                        12,
                                        {0, 8, 12, 16},
                                        {0, 1, 3, 2, 5, 4},
                                        {0, 0, 1, 2, 4, 4, 5, -1, 1, 1, 3, -1, 1, -1, 5, -1},
                                        {1, 5, 2, 6, 3, 7, 4, 0, 9, 8, 10, 0, 11, 0, 12, 0}};
  const auto a = sell_from_csr(figure_matrix().view(), 2, 4);
  EXPECT_TRUE(a == want);
  EXPECT_EQ(a.bytes(), 16 * 12 + 4 * 4 + 6 * 4u);
  EXPECT_EQ(a.fill(), 4);
}

TEST(Layout, SellsLastSliceHasOnlyTheRowsThatAreLeft) {
  const auto a = sell_from_csr(figure_matrix().view(), 4, 1);
  EXPECT_TRUE(a.permutation == (Array<index_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(a.offsets == (Array<std::int32_t>{0, 16, 20}));
  EXPECT_EQ(a.view().lanes(0), 4);
  EXPECT_EQ(a.view().lanes(1), 2);
  EXPECT_EQ(a.view().width(1), 2);
  EXPECT_EQ(a.columns[16], -1);  // row 4, slot 0
  EXPECT_EQ(a.columns[17], 1);   // row 5
  EXPECT_EQ(a.columns[19], 5);
}

TEST(Layout, SellKeepsRowsOfEqualLengthInOrder) {
  const Csr<double, std::int64_t> a{4, 2, {0, 1, 3, 4, 6}, {0, 0, 1, 1, 0, 1}, {1, 2, 3, 4, 5, 6}};
  EXPECT_TRUE(sell_from_csr(a.view(), 2, 4).permutation == (Array<index_t>{1, 3, 0, 2}));
}

TEST(Layout, HybCutsLongRows) {
  // 5, 4, 2 and 1 of the 6 rows have 1, 2, 3 and 4 entries or more.
  const Hyb<double> a =
      hyb_from_csr(figure_matrix().view(), {.relative_speed = 3, .breakeven_rows = 0});
  EXPECT_EQ(a.ell.width, 3);
  EXPECT_EQ(a.ell.nnz(), 11);
  EXPECT_TRUE(a.coo == (Coo<double>{6, 6, {0}, {5}, {4}}));
  EXPECT_EQ(a.bytes(), 18 * 12 + 1 * 16u);
  EXPECT_EQ(a.fill(), 7);
  EXPECT_EQ(a.fill_ratio(), 19.0 / 12);
}

TEST(Layout, BsrFillsBlocks) {
  const Bsr<double, std::int32_t> want{
      6, 6, 2, 3, 12, {0, 2, 4, 6}, {0, 1, 0, 1, 0, 1}, {1, 2, 0, 5, 0,  6, 0, 3, 4, 0,  7, 0,  //
                                                         0, 8, 0, 0, 9,  0, 0, 0, 0, 10, 0, 0,  //
                                                         0, 0, 0, 0, 11, 0, 0, 0, 0, 0,  0, 12}};
  const auto a = bsr_from_csr(figure_matrix().view(), 2, 3);
  EXPECT_TRUE(a == want);
  EXPECT_EQ(a.fill(), 24);
  EXPECT_EQ(a.fill_ratio(), 3);
  EXPECT_EQ(a.bytes(), 36 * 8 + 6 * 4 + 4 * 4u);
}

TEST(Layout, BsrBlocksMayReachBeyondTheMatrix) {
  const auto a = bsr_from_csr(figure_matrix().view(), 4, 4, 10);
  const Bsr<double, std::int32_t> want{
      6, 6, 4, 4, 12, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 0, 0, 5, 0,  6, 0,
                                                0, 8, 0, 0, 0, 9,  0, 10,  //
                                                3, 4, 0, 0, 7, 0,  0, 0,
                                                0, 0, 0, 0, 0, 0,  0, 0,  //
                                                0, 0, 0, 0, 0, 11, 0, 0,
                                                0, 0, 0, 0, 0, 0,  0, 0,  //
                                                0, 0, 0, 0, 0, 12, 0, 0,
                                                0, 0, 0, 0, 0, 0,  0, 0}};
  EXPECT_TRUE(a == want);
  EXPECT_EQ(a.view().grid_rows(), 2);
  EXPECT_EQ(a.view().height(1), 2);
  EXPECT_EQ(a.view().width(1), 2);
}

TEST(Layout, BsrOfOneByOneIsCsr) {
  const auto csr = figure_matrix();
  const auto a = bsr_from_csr(csr.view(), 1, 1);
  EXPECT_TRUE(a.offsets == csr.offsets && a.columns == csr.columns && a.values == csr.values);
  EXPECT_EQ(a.bytes(), csr.bytes());
}

// chirila2025 §5.1.3: n = 32,000, 5 x 5 blocks, 5 % dense.
TEST(Layout, BsrBytesAsInChirila) {
  BsrView<double, std::int32_t> a{.rows = 32000, .cols = 32000, .block_rows = 5, .block_cols = 5};
  a.blocks = 32000 / 25 * 32000 / 20;
  EXPECT_EQ(a.blocks, 2'048'000);
  EXPECT_EQ(a.grid_rows() + 1, 6401);
  const std::size_t values = 409'600'000, offsets = 25'604, indices = 8'192'000;
  EXPECT_EQ(a.bytes(), values + offsets + indices);
  EXPECT_EQ(a.bytes(), 417'817'604u);  // 417.82 MB
}

TEST(Layout, Dia) {
  const Csr<double, std::int64_t> a{
      4, 3, {0, 2, 4, 6, 7}, {0, 1, 1, 2, 0, 2, 1}, {1, 2, 3, 4, 5, 6, 7}};
  const Dia<double> want{4, 3, 7, {-2, 0, 1}, {0, 0, 5, 7, 1, 3, 6, 0, 2, 4, 0, 0}};
  const Dia<double> b = dia_from_csr(a.view());
  EXPECT_TRUE(b == want);
  EXPECT_EQ(b.fill(), 5);
  EXPECT_EQ(b.bytes(), 12 * 8 + 3 * 4u);
  EXPECT_EQ(b.view().first_row(0), 2);
  EXPECT_EQ(b.view().last_row(0), 4);
  EXPECT_EQ(b.view().last_row(2), 2);
}

// Zeros: which come back, and which cannot be told apart.
class FilledZeros : public ::testing::Test {
 protected:
  // 3 x 3; (0, 1) and (2, 2) are explicit zeros, one of them negative.
  const Csr<double, std::int64_t> a{3, 3, {0, 2, 3, 4}, {0, 1, 1, 2}, {1, 0, 2, -0.0}};
  const Csr<double, std::int64_t> without{3, 3, {0, 1, 2, 2}, {0, 1}, {1, 2}};
};

TEST_F(FilledZeros, OtherFormatsKeepExplicitZeros) {
  EXPECT_TRUE(ell_to_csr<std::int64_t>(ell_from_csr(a.view()).view()) == a);
  EXPECT_TRUE(sell_to_csr(sell_from_csr(a.view()).view()) == a);
  EXPECT_TRUE(hyb_to_csr<std::int64_t>(hyb_from_csr(a.view(), {3, 0}).view()) == a);
  EXPECT_TRUE(csc_to_csr(csc_from_csr(a.view()).view()) == a);
  EXPECT_TRUE(coo_to_csr<std::int64_t>(coo_from_csr(a.view()).view()) == a);
  EXPECT_TRUE(csb_to_csr(csb_from_csr(a.view()).view()) == a);
  EXPECT_TRUE(csb_baseline_to_csr(csb_baseline_from_csr(a.view(), 2).view()) == a);
  EXPECT_TRUE(ecsb_to_csr(ecsb_from_csr(a.view(), 2).view()) == a);
  EXPECT_TRUE(gcsb_to_csr(gcsb_from_csr(a.view(), 2, 2).view()) == a);
  EXPECT_TRUE(tiles_to_csr<std::int64_t>(tiles_from_csr(a.view()).view()) == a);
  EXPECT_TRUE(compact_to_csr(compact_from_csr(a.view()).view()) == a);
  EXPECT_TRUE(packed_to_csr<std::int64_t>(packed_from_csr(a.view(), 100).view()) == a);
}

TEST_F(FilledZeros, BsrDropsAllOrKeepsAllInsideTheMatrix) {
  const auto b = bsr_from_csr(a.view(), 2, 2, 4);
  EXPECT_EQ(b.nnz(), 4);  // explicit zeros are counted as entries all the same
  EXPECT_TRUE(bsr_to_csr(b.view(), Fill::drop) == without);
  const Csr<double, std::int64_t> kept{3, 3, {0, 2, 4, 5}, {0, 1, 0, 1, 2}, {1, 0, 0, 2, 0}};
  EXPECT_TRUE(bsr_to_csr(b.view(), Fill::keep) == kept);
}

TEST_F(FilledZeros, DiaDropsAllOrKeepsAllInsideTheMatrix) {
  const auto b = dia_from_csr(a.view());
  EXPECT_TRUE(dia_to_csr<std::int64_t>(b.view(), Fill::drop) == without);
  const Csr<double, std::int64_t> kept{3, 3, {0, 2, 4, 5}, {0, 1, 1, 2, 2}, {1, 0, 2, 0, 0}};
  EXPECT_TRUE(dia_to_csr<std::int64_t>(b.view(), Fill::keep) == kept);
}

TEST(Layout, DefaultObjectsAreEmptyMatrices) {
  EXPECT_NO_THROW((Csr<float, std::int32_t>{}.validate()));
  EXPECT_NO_THROW((Csc<float, std::int32_t>{}.validate()));
  EXPECT_NO_THROW(Coo<float>{}.validate());
  EXPECT_NO_THROW(Ell<float>{}.validate());
  EXPECT_NO_THROW((Sell<float, std::int32_t>{}.validate()));
  EXPECT_NO_THROW(Hyb<float>{}.validate());
  EXPECT_NO_THROW((Bsr<float, std::int32_t>{}.validate()));
  EXPECT_NO_THROW(Dia<float>{}.validate());
  EXPECT_NO_THROW((Csb<float, std::int32_t>{}.validate()));
  EXPECT_NO_THROW((CsbBaseline<float, std::int32_t>{}.validate()));
  EXPECT_NO_THROW((Ecsb<float, std::int32_t>{}.validate()));
  EXPECT_NO_THROW((Gcsb<float, std::int32_t>{}.validate()));
  EXPECT_NO_THROW((Compact<float, std::int32_t>{}.validate()));
  EXPECT_NO_THROW(Packed<float>{}.validate());
}

}  // namespace
}  // namespace nz
