#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/truth.hpp>

// The bound for sums of atomics that take subnormals for 0.
namespace nz {
namespace {

constexpr float normal = std::numeric_limits<float>::min();

// Row 0 has two entries, row 1 none, row 2 one; columns have 2, 1 and 0.
Csr<float, std::int32_t> sample() {
  return csr_from_triplets<float, std::int32_t>(3, 3, std::vector<index_t>{0, 0, 2},
                                                std::vector<index_t>{0, 1, 0},
                                                std::vector<float>{1, 1, 1});
}

TEST(Flushed, ForgivesWhatAtomicsLoseAndNoMore) {
  const auto a = sample();
  const std::vector<float> x(3, normal / 4), none(3, 0);
  for (const Op op : all_ops) {
    const auto exact = exact_product<float, std::int32_t>(a.view(), op, 1, x, 0, none);
    const auto bound = flushed(exact, a.view(), op, 1.0f);
    EXPECT_FALSE(exact.judge(none).right());
    EXPECT_TRUE(bound.judge(none).right()) << bound.judge(none).message();
    // Two entries lose at most 2 (2 * 2 + 1) of the smallest normal number, with alpha = 1.
    EXPECT_TRUE(bound.judge(std::vector<float>{10 * normal, 0, 0}).right());
    EXPECT_FALSE(bound.judge(std::vector<float>{12 * normal, 0, 0}).right());
  }
}

// A format may fill a row that has no entries with zeros, and add them.
TEST(Flushed, RowsWithoutEntriesMayLoseWhatYWas) {
  const auto a = sample();
  const std::vector<float> x(3, 1), y(3, normal / 2), computed{2, 0, 1};
  const auto exact = exact_product<float, std::int32_t>(a.view(), Op::none, 1, x, 1, y);
  EXPECT_FALSE(exact.judge(computed).right());
  const auto bound = flushed(exact, a.view(), Op::none, 1.0f);
  EXPECT_TRUE(bound.judge(computed).right());
  EXPECT_FALSE(bound.judge(std::vector<float>{2, 4 * normal, 1}).right());
}

TEST(Flushed, NeedsAReferenceOfItsLength) {
  const auto a = sample();
  const auto short_one = csr_from_triplets<float, std::int32_t>(2, 3, {}, {}, {});
  const std::vector<float> x(3, 1), y(2, 0);
  const auto exact = exact_product<float, std::int32_t>(short_one.view(), Op::none, 1, x, 0, y);
  EXPECT_THROW(flushed(exact, a.view(), Op::none, 1.0f), InvalidArgument);
}

}  // namespace
}  // namespace nz
