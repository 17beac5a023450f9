#include "plan/row_spread.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace nz {
namespace {

constexpr index_t most_rows = std::numeric_limits<index_t>::max();

// What every spread keeps: windows in their order, none over another, none beyond the matrix.
void expect_sound(const RowSpread& s, index_t rows, index_t each, index_t count) {
  EXPECT_LE(s.count(), count);
  index_t end = 0;
  for (index_t w = 0; w < s.count(); ++w) {
    EXPECT_GE(s.begin(w), end) << w << " of " << rows;
    EXPECT_LE(s.end(w), rows);
    EXPECT_LE(s.size(w), each);
    if (w + 1 < s.count()) {
      EXPECT_EQ(s.size(w), each) << w << " of " << rows;
    }
    end = s.end(w);
  }
}

TEST(RowSpread, StaysInTheMatrix) {
  for (const index_t rows : {0, 1, 5, 959, 960, 961, 3840, 3841, 100'000, most_rows})
    for (const index_t count : {1, 2, 4, 32}) {
      expect_sound(RowSpread::one_a_part(rows, 960, count), rows, 960, count);
      expect_sound(RowSpread::to_the_end(rows, 960, count, 5040), rows, 960, count);
      expect_sound(RowSpread::in_the_middle(rows, 960, count), rows, 960, count);
    }
}

TEST(RowSpread, TakesAllOfASmallMatrix) {
  for (const auto& s :
       {RowSpread::one_a_part(2000, 960, 4), RowSpread::to_the_end(2000, 960, 4, 5040)}) {
    ASSERT_EQ(s.count(), 3);
    EXPECT_EQ(s.begin(1), 960);
    EXPECT_EQ(s.begin(2), 1920);
    EXPECT_EQ(s.end(2), 2000);
  }
}

TEST(RowSpread, OneAPartBeginsAtMultiplesOfItsRows) {
  const auto s = RowSpread::one_a_part(1'000'000, 960, 4);  // 1042 places
  const index_t begins[] = {0, 260 * 960, 521 * 960, 781 * 960};
  for (index_t w = 0; w < 4; ++w) EXPECT_EQ(s.begin(w), begins[w]);
}

TEST(RowSpread, ToTheEndShiftsByWholeSteps) {
  const auto s = RowSpread::to_the_end(1'000'000, 960, 4, 5040);  // 197 steps are free
  const index_t begins[] = {0, 960 + 65 * 5040, 2 * 960 + 131 * 5040, 3 * 960 + 197 * 5040};
  for (index_t w = 0; w < 4; ++w) EXPECT_EQ(s.begin(w), begins[w]);
  EXPECT_GT(s.end(3), 1'000'000 - 5040);
}

TEST(RowSpread, InTheMiddleLeavesAsMuchBeforeAsBehind) {
  const auto s = RowSpread::in_the_middle(960'000, 960, 4);  // 1000 places
  const index_t begins[] = {125 * 960, 375 * 960, 625 * 960, 875 * 960};
  for (index_t w = 0; w < 4; ++w) EXPECT_EQ(s.begin(w), begins[w]);
}

}  // namespace
}  // namespace nz
