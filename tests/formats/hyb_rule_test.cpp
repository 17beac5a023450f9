#include <gtest/gtest.h>
#include <nonzero/formats/hyb.hpp>

// The Bell-Garland split at its edges: a k-th slot needs a third of all rows and 4096 of them.
namespace nz {
namespace {

// `longs` rows of `length` entries, then rows of one entry (or none).
Csr<float, std::int32_t> two_kinds(index_t rows, index_t longs, index_t length, index_t shorts) {
  Csr<float, std::int32_t> a{
      rows, length, Array<std::int32_t>(static_cast<std::size_t>(rows) + 1), {}, {}};
  a.offsets[0] = 0;
  for (index_t i = 0; i < rows; ++i)
    a.offsets[i + 1] = a.offsets[i] + (i < longs ? length : shorts);
  a.columns = Array<index_t>(static_cast<std::size_t>(a.offsets.back()));
  a.values = Array<float>(a.columns.size(), 1);
  for (index_t i = 0; i < rows; ++i)
    for (std::int32_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) a.columns[k] = k - a.offsets[i];
  return a;
}

TEST(HybRule, NeedsAThirdOfTheRows) {
  EXPECT_EQ(hyb_width(two_kinds(20000, 6667, 5, 1).view()), 5);
  EXPECT_EQ(hyb_width(two_kinds(20000, 6666, 5, 1).view()), 1);
}

TEST(HybRule, Needs4096Rows) {
  EXPECT_EQ(hyb_width(two_kinds(5000, 4096, 5, 1).view()), 5);
  EXPECT_EQ(hyb_width(two_kinds(5000, 4095, 5, 1).view()), 1);
  EXPECT_EQ(hyb_width(two_kinds(5000, 4095, 5, 0).view()), 0);
}

TEST(HybRule, SmallMatricesAreAllCoo) {
  const auto a = two_kinds(4095, 4095, 3, 0);
  const auto b = hyb_from_csr(a.view());
  EXPECT_EQ(b.ell.width, 0);
  EXPECT_EQ(b.coo.nnz(), a.nnz());
}

TEST(HybRule, RegularMatricesAreAllEll) {
  const auto a = two_kinds(4096, 4096, 3, 0);
  const auto b = hyb_from_csr(a.view());
  EXPECT_EQ(b.ell.width, 3);
  EXPECT_EQ(b.coo.nnz(), 0);
}

TEST(HybRule, BothNumbersAreTheCallers) {
  const auto a = two_kinds(100, 10, 7, 2);
  EXPECT_EQ(hyb_width(a.view(), {3, 0}), 2);
  EXPECT_EQ(hyb_width(a.view(), {10, 0}), 7);
  EXPECT_EQ(hyb_width(a.view(), {10, 11}), 2);
  EXPECT_EQ(hyb_width(a.view(), {1, 0}), 2);
  EXPECT_EQ(hyb_width(a.view(), {0.5, 0}), 0);
}

TEST(HybRule, KeepsTheEllPartWithinRelativeSpeedSlotsAnEntry) {
  for (index_t longs : {33, 34, 50, 99}) {
    const auto b = hyb_from_csr(two_kinds(100, longs, 9, 1).view(), {3, 0});
    EXPECT_EQ(b.ell.width, longs == 33 ? 1 : 9) << longs;
    EXPECT_LE(b.ell.fill_ratio(), 3) << longs;
  }
}

}  // namespace
}  // namespace nz
