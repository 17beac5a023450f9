#include <nonzero/formats/csb.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "formats/figures.hpp"
#include "formats/messages.hpp"
#include "formats/morton.hpp"

namespace nz {
namespace {

constexpr std::uint32_t place(std::uint32_t row, std::uint32_t column) {
  return row << 16 | column;
}

TEST(Morton, QuadrantsComeInOrder) {  // izawa2023 figure 2.5
  const std::vector<std::uint32_t> want = {place(0, 0), place(0, 1), place(1, 0), place(1, 1),
                                           place(0, 2), place(0, 3), place(1, 2), place(1, 3),
                                           place(2, 0), place(2, 1), place(3, 0), place(3, 1),
                                           place(2, 2), place(2, 3), place(3, 2), place(3, 3)};
  for (std::uint32_t k = 0; k < want.size(); ++k) {
    EXPECT_EQ(morton_of_place(want[k]), k);
    EXPECT_EQ(place_of_morton(k), want[k]);
  }
  EXPECT_EQ(morton_of_place(0xffffffff), 0xffffffff);
  std::mt19937 random(3);
  for (int k = 0; k < 1000; ++k) {
    const auto at = static_cast<std::uint32_t>(random());
    EXPECT_EQ(place_of_morton(morton_of_place(at)), at);
  }
}

TEST(Morton, SortsManyAndFew) {
  struct Element {
    std::uint32_t key;
    std::uint32_t twin;
  };
  std::mt19937 random(4);
  for (const std::size_t n : {1, 2, 64, 65, 1000, 70'000})
    for (const int bits : {17, 32}) {
      std::set<std::uint32_t> keys;
      while (keys.size() < n) keys.insert(static_cast<std::uint32_t>(random()) >> (32 - bits));
      std::vector<Element> from, scratch(n);
      for (const std::uint32_t k : keys) from.push_back({k, ~k});
      std::shuffle(from.begin(), from.end(), random);
      const Element* sorted = sort_by_key(from.data(), scratch.data(), n, bits);
      for (const std::uint32_t k : keys) {
        EXPECT_EQ(sorted->key, k);
        EXPECT_EQ(sorted->twin, ~k);
        ++sorted;
      }
    }
}

TEST(Csb, AsInFigure24) {
  const Csb<double, std::int32_t> want{
      6,
      6,
      1,
      {0, 3, 4, 7, 9, 10, 10, 11, 11, 12},
      {place(0, 0), place(0, 1), place(1, 0), place(1, 0), place(0, 0), place(0, 1), place(1, 0),
       place(0, 1), place(1, 1), place(1, 1), place(1, 1), place(1, 1)},
      {1, 2, 5, 6, 3, 4, 7, 8, 9, 10, 11, 12}};
  const auto a = csb_from_csr(figure_matrix().view(), 1);
  EXPECT_TRUE(a == want);
  EXPECT_EQ(a.bytes(), 12 * 8 + 12 * 4 + (9 + 1) * 4u);  // equation 2.6
}

TEST(Csb, OneBlockOfAllIsInMortonOrder) {
  const auto a = csb_from_csr(figure_matrix().view(), 3);
  EXPECT_TRUE(a.offsets == (Array<std::int32_t>{0, 12}));
  // Quadrants of 4: upper left, upper right, lower left, lower right.
  EXPECT_TRUE(a.values == (Array<double>{1, 2, 5, 6, 8, 9, 10, 3, 4, 7, 11, 12}));
}

TEST(Csb, BlocksAreAboutEightTimesTheRoot) {
  EXPECT_EQ(csb_block_bits(0, 0), 3);
  EXPECT_EQ(csb_block_bits(1, 1), 3);
  EXPECT_EQ(csb_block_bits(4, 4), 4);
  EXPECT_EQ(csb_block_bits(5, 1), 5);
  EXPECT_EQ(csb_block_bits(1 << 20, 1 << 20), 13);
  EXPECT_EQ(csb_block_bits(10, (1 << 20) + 1), 14);
  EXPECT_EQ(csb_block_bits(std::numeric_limits<index_t>::max(), 1), 16);
}

TEST(Csb, PlacesUseAllSixteenBits) {
  const index_t n = 1 << 17;
  const std::vector<index_t> row = {0, 65535, 65536, n - 1, n - 1};
  const std::vector<index_t> column = {n - 1, 65535, 65536, 0, n - 1};
  const auto a = csr_from_triplets<double, std::int64_t>(n, n, row, column,
                                                         std::vector<double>{1, 2, 3, 4, 5});
  const auto b = csb_from_csr(a.view(), 16);
  b.validate();
  EXPECT_TRUE(b.offsets == (Array<std::int64_t>{0, 1, 2, 3, 5}));
  EXPECT_TRUE(b.places ==
              (Array<std::uint32_t>{0xffffffff, 0x0000ffff, 0xffff0000, 0, 0xffffffff}));
  EXPECT_TRUE(csb_to_csr(b.view()) == a);
}

TEST(Csb, ShapesAtTheLimitOfAnIndex) {
  const index_t n = std::numeric_limits<index_t>::max();
  const auto a = csr_from_triplets<float, std::int32_t>(
      3, n, std::vector<index_t>{0, 2}, std::vector<index_t>{n - 1, 0}, std::vector<float>{1, 2});
  const auto b = csb_from_csr(a.view());
  EXPECT_EQ(b.block_bits, 16);
  EXPECT_EQ(b.view().grid_cols(), 1 << 15);
  b.validate();
  EXPECT_TRUE(csb_to_csr(b.view()) == a);
}

TEST(Csb, RefusesGridsOfMoreBlocksThanEntries) {
  const index_t n = 1'000'000;
  const auto a = csr_from_triplets<float, std::int32_t>(
      n, n, std::vector<index_t>{0}, std::vector<index_t>{0}, std::vector<float>{1});
  EXPECT_EQ(message_of<Refused>([&] { csb_from_csr(a.view(), 1); }),
            "CSB: 2.5e+11 blocks of 2 x 2 for 2000001 nonzeros, rows and columns, limit 3 each");
  EXPECT_NO_THROW(csb_from_csr(a.view(), 10));
  EXPECT_NO_THROW(csb_from_csr(a.view()));
  EXPECT_EQ(message_of<InvalidArgument>([&] { csb_from_csr(a.view(), 17); }),
            "CSB: block_bits is 17, outside 0 to 16");
  EXPECT_EQ(message_of<InvalidArgument>([&] { csb_from_csr(a.view(), -1); }),
            "CSB: block_bits is -1, outside 0 to 16");
}

TEST(Csb, ValidateNamesTheFirstFault) {
  using M = Csb<double, std::int32_t>;
  const M a = csb_from_csr(figure_matrix().view(), 1);
  expect<M>(
      a, [](M& b) { b.rows = -1; }, "CSB: negative shape -1 x 6");
  expect<M>(
      a, [](M& b) { b.block_bits = 17; }, "CSB: blocks of 2^17");
  expect<M>(
      a, [](M& b) { b.block_bits = 2; }, "CSB: offsets has 10 elements, needs 5");
  expect<M>(
      a, [](M& b) { b.values.truncate(11); }, "CSB: values has 11 elements, needs 12");
  expect<M>(
      a, [](M& b) { b.offsets[0] = 1; }, "CSB: offsets start at 1, not 0");
  expect<M>(
      a, [](M& b) { b.offsets[2] = 2; },
      "CSB: block 1 ends at 2, before its start 3 (counting from 0)");
  expect<M>(
      a, [](M& b) { b.offsets[9] = 13; }, "CSB: offsets end at 13, but there are 12 entries");
  expect<M>(
      a, [](M& b) { b.places[4] = place(2, 0); },
      "CSB: block 2, entry 4: place (2, 0) is outside 2 x 2");
  expect<M>(
      a, [](M& b) { b.places[4] = place(1, 1); }, "CSB: block 2, entry 5: not in Morton order");
  expect<M>(
      a, [](M& b) { b.places[5] = place(0, 0); }, "CSB: block 2, entry 5: not in Morton order");
  const M beyond = csb_from_csr(figure_matrix().view(), 2);
  expect<M>(
      beyond, [](M& b) { b.places[7] = place(0, 2); },
      "CSB: block 1, entry 7: place (0, 2) is outside 4 x 2");
  EXPECT_NO_THROW(M{}.validate());
}

}  // namespace
}  // namespace nz
