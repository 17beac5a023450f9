#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/formats.hpp>

#include "formats/figures.hpp"
#include "formats/messages.hpp"

// The formats of izawa2023 chapter 3, by the arrays and sums that the paper prints.
namespace nz {
namespace {

// Padding, * in the paper.
constexpr std::uint32_t p = padding_place;

// Letters as values, those of the upper bits of a place as rows: "01" is row 0, column 1.
Array<double> letters(const char* text) {
  std::vector<double> v;
  for (; *text; ++text)
    if (*text != ' ') v.push_back(*text == '*' ? 0 : *text - 'a' + 1);
  return Array<double>(std::span<const double>(v));
}

TEST(CsbBaseline, AsInFigure31) {
  const CsbBaseline<double, std::int32_t> want{
      {8, 8, 1},
      {0, 4, 6, 9, 12, 14, 15, 15, 15, 15, 19, 19, 21, 22, 23, 26, 26},
      {0b00, 0b01, 0b10, 0b11, 0b10, 0b11, 0b00, 0b01, 0b10, 0b00, 0b01, 0b11, 0b01,
       0b11, 0b11, 0b00, 0b01, 0b10, 0b11, 0b00, 0b11, 0b01, 0b01, 0b00, 0b10, 0b11},
      letters("abgh ij cdk efl mn o pqst ru v w xyz")};
  const auto a = csb_baseline_from_csr(letters_matrix().view(), 2);
  EXPECT_TRUE(a == want);
  EXPECT_EQ(a.bytes(), 26 * 8 + 26 * 4 + (16 + 1) * 4u);  // equation 3.1
}

TEST(Gcsb, AsInFigure35) {
  // The paper's text loses the place of z, which figure 3.1 has.
  const Gcsb<double, std::int32_t> want{
      {8, 8, 1},
      4,
      26,
      {0, 16, 28, 32, 32},
      {0, 9, 2, 3, 14, 1, 4, 11, 5, 12, 13, 6, 7, 8, 10, 15},
      {0b00, 0b00, 0b00, 0b00, 0b01, 0b01, 0b01, 0b01, 0b10, 0b10, 0b10, 0b11, 0b11, 0b11,
       p,    p,    0b00, 0b10, 0b01, 0b00, 0b10, 0b11, 0b11, 0b11, 0b11, p,    p,    p,  //
       0b11, 0b01, 0b01, p},
      letters("apce bqdf gskl ht** ximr yjnu z*** ovw*")};
  const auto a = gcsb_from_csr(letters_matrix().view(), 2, 4);
  EXPECT_TRUE(a == want);
  EXPECT_EQ(a.fill(), 6);
  EXPECT_EQ(a.view().groups(), 4);
  const std::size_t small = 16 * 4 + (4 + 1) * 4;
  EXPECT_EQ(a.view().bytes_without_padding(), 26 * 8 + 26 * 4 + small);  // equation 3.2
  EXPECT_EQ(a.view().slot_bytes(), (4 + 3 + 1 + 0) * 4 * (8 + 4u));      // equation 3.5
  EXPECT_EQ(a.bytes(), a.view().slot_bytes() + small);
}

TEST(Gcsb, TheLastGroupIsPaddedToo) {
  // 16 blocks in groups of 7: the third has 2, both empty; in groups of 3, the last of six has 1.
  EXPECT_EQ(gcsb_from_csr(letters_matrix().view(), 2, 7).values.size(), 7 * (4 + 2 + 0u));
  const auto one = gcsb_from_csr(letters_matrix().view(), 8, 3, 100);
  EXPECT_EQ(one.values.size(), 26 * 3u);
  EXPECT_EQ(one.places[25 * 3], 077u - 2);  // z, row 7, column 5 of a block of 8
  EXPECT_EQ(one.places[1], p);
  one.validate();
}

TEST(Ecsb, CooBasedAsInFigure210) {
  const auto a = ecsb_from_csr(figure_matrix().view(), 2);
  EXPECT_EQ(a.kind(), EcsbKind::coo);
  EXPECT_TRUE(a.coo.values == letters("abef cdgh ijkl"));
  EXPECT_TRUE(a.coo.places == (Array<std::uint32_t>{0b00, 0b01, 0b10, 0b10, 0b00, 0b01, 0b10, 0b01,
                                                    0b11, 0b11, 0b11, 0b11}));
  // Two bits for each digit of the paper's.
  EXPECT_TRUE(a.coo.blocks == (Array<std::uint32_t>{0, 0, 0, 1, 2, 2, 2, 1 << 2, 1 << 2, 1 << 2 | 1,
                                                    2 << 2, 2 << 2 | 2}));
  EXPECT_TRUE(a.offsets == (Array<std::int32_t>{0, 7, 10, 12}));
  EXPECT_EQ(a.bytes(), 12 * 8 + 2 * 12 * 4 + (3 + 1) * 4u);
}

TEST(Ecsb, EllBasedAndHybrid) {
  const auto a = letters_matrix();  // rows of blocks with 12, 3, 6 and 5 entries
  const auto ell = ecsb_from_csr(a.view(), 2, EcsbChoice::ell);
  EXPECT_EQ(ell.kind(), EcsbKind::ell);
  EXPECT_EQ(ell.width, 12);
  EXPECT_EQ(ell.fill(), 4 * 12 - 26);
  EXPECT_TRUE(ell.offsets == (Array<std::int32_t>{0, 0, 0, 0, 0}));
  // By the rule with a third of four, rounded up: two rows of blocks have 6 or more.
  const auto both = ecsb_from_csr(a.view(), 2, EcsbChoice::by_rule, {3, 0});
  EXPECT_EQ(both.kind(), EcsbKind::hybrid);
  EXPECT_EQ(both.width, 6);
  EXPECT_TRUE(both.ell.values == letters("ampv bnqw gosx h*ty i*rz j*u*"));
  EXPECT_TRUE(both.coo.values == letters("cdkefl"));
  EXPECT_TRUE(both.offsets == (Array<std::int32_t>{0, 6, 6, 6, 6}));
  // Two rows each: 4 rows are two rows of blocks, 5 are three, 9 more than there are.
  EXPECT_EQ(ecsb_from_csr(a.view(), 2, EcsbChoice::by_rule, {4, 4}).width, 6);
  EXPECT_EQ(ecsb_from_csr(a.view(), 2, EcsbChoice::by_rule, {4, 5}).width, 5);
  EXPECT_EQ(ecsb_from_csr(a.view(), 2, EcsbChoice::by_rule, {4, 9}).kind(), EcsbKind::coo);
  EXPECT_EQ(ecsb_from_csr(a.view(), 2, EcsbChoice::by_rule, {4, 0}).kind(), EcsbKind::ell);
  EXPECT_EQ(ecsb_from_csr(a.view()).digits, 2);
}

TEST(BlockGrid, RootsOfTheSmallerSide) {
  EXPECT_EQ(root_beta(0, 10), 1);
  EXPECT_EQ(root_beta(1, 10), 1);
  EXPECT_EQ(root_beta(2, 2), 2);
  EXPECT_EQ(root_beta(16, 1000), 4);
  EXPECT_EQ(root_beta(1000, 17), 8);
  EXPECT_EQ(root_beta(8192, 8192), 128);
  EXPECT_EQ(root_beta(1 << 30, 1 << 30), 1 << 15);
  EXPECT_EQ(root_beta(std::numeric_limits<index_t>::max(), (1 << 30) + 1), 1 << 15);
}

TEST(CsbFamily, DefaultsAreACacheLine) {  // equations 3.3, 3.4
  const auto a = letters_matrix();
  const auto b = csr_cast<float, std::int32_t>(a.view());
  const double any = std::numeric_limits<double>::infinity();
  EXPECT_EQ(csb_baseline_from_csr(a.view()).beta(), 16);
  EXPECT_EQ(csb_baseline_from_csr(b.view()).beta(), 32);
  EXPECT_EQ(gcsb_from_csr(a.view(), cache_line_elements<double>, 16, any).beta(), 16);
  EXPECT_EQ(cache_line_elements<float>, 32);
}

TEST(CsbFamily, RectangularBlocksLieWhereTheyBelong) {
  // 3 rows of 4 blocks, so that a block's column is not its number modulo the rows of blocks.
  const auto a = csr_from_triplets<double, std::int32_t>(5, 7, std::vector<index_t>{0, 4, 4},
                                                         std::vector<index_t>{6, 0, 6},
                                                         std::vector<double>{1, 2, 3});
  const auto b = gcsb_from_csr(a.view(), 2, 1, 100);
  EXPECT_TRUE(b.numbers == (Array<index_t>{3, 8, 11, 0, 1, 2, 4, 5, 6, 7, 9, 10}));
  EXPECT_TRUE(gcsb_to_csr(b.view()) == a);
}

TEST(CsbFamily, RefusesBlocksOfNoSize) {
  const auto a = letters_matrix();
  const std::string rest = ", not a power of two from 1 to 32768";
  for (const std::int64_t beta :
       {std::int64_t{0}, std::int64_t{-2}, std::int64_t{3}, std::int64_t{24}, std::int64_t{65536},
        std::int64_t{1} << 32, std::numeric_limits<std::int64_t>::min()}) {
    const std::string said = ": beta is " + std::to_string(beta) + rest;
    EXPECT_EQ(message_of<InvalidArgument>([&] { csb_baseline_from_csr(a.view(), beta); }),
              "CSB-baseline" + said);
    EXPECT_EQ(message_of<InvalidArgument>([&] { ecsb_from_csr(a.view(), beta); }), "eCSB" + said);
    EXPECT_EQ(message_of<InvalidArgument>([&] { gcsb_from_csr(a.view(), beta); }), "GCSB" + said);
  }
  for (const int group : {0, -4})
    EXPECT_EQ(message_of<InvalidArgument>([&] { gcsb_from_csr(a.view(), 2, group); }),
              "GCSB: group_size is " + std::to_string(group) + ", below 1");
  EXPECT_THROW(ecsb_from_csr(a.view(), 2, EcsbChoice::by_rule, {0, 0}), InvalidArgument);
}

TEST(CsbFamily, RefusesWaste) {
  const index_t n = 1'000'000;
  const auto a = csr_from_triplets<float, std::int32_t>(
      n, n, std::vector<index_t>{0}, std::vector<index_t>{0}, std::vector<float>{1});
  const std::string said =
      ": 9.766e+08 blocks of 32 x 32 for 2000001 nonzeros, rows and columns, limit 3 each";
  EXPECT_EQ(message_of<Refused>([&] { csb_baseline_from_csr(a.view()); }), "CSB-baseline" + said);
  EXPECT_EQ(message_of<Refused>([&] { gcsb_from_csr(a.view()); }), "GCSB" + said);
  EXPECT_EQ(message_of<Refused>([&] { gcsb_from_csr(a.view(), 16); }),
            "GCSB: 3906250000 blocks of 16 x 16, limit 2147483647");
  EXPECT_EQ(message_of<Refused>([&] { ecsb_from_csr(a.view(), 8); }),
            "eCSB: 125000 x 125000 blocks of beta 8 do not fit in 32 bits");
  EXPECT_NO_THROW(ecsb_from_csr(a.view()));
  const auto b = letters_matrix();
  EXPECT_EQ(message_of<Refused>([&] { gcsb_from_csr(b.view(), 8, 16); }),
            "GCSB: 16 slots a nonzero (26 rows of 16 blocks), limit 3");
  EXPECT_EQ(message_of<Refused>([&] { ecsb_from_csr(b.view(), 2, EcsbChoice::ell, {}, 1.5); }),
            "eCSB: 1.846 slots a nonzero (4 rows of blocks, 12 slots each), limit 1.5");
}

TEST(CsbFamily, GroupsOfMoreBlocksThanThereCanBe) {
  const index_t n = std::numeric_limits<index_t>::max();
  const Csr<double, std::int32_t> none{3, 3, {0, 0, 0, 0}, {}, {}};
  const auto a = gcsb_from_csr(none.view(), 1, n);
  EXPECT_TRUE(a.values.empty());
  EXPECT_TRUE(a.offsets == (Array<std::int32_t>{0, 0}));
  a.validate();
  EXPECT_TRUE(gcsb_to_csr(a.view()) == none);
  const double any = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of<Refused>([&] { gcsb_from_csr(letters_matrix().view(), 8, n, any); }),
            "GCSB: 55834574822 entries do not fit 32-bit offsets; use 64-bit ones");
}

// Blocks of the largest side, and shapes at the limit of an index.
TEST(CsbFamily, PlacesUseAllTheirBits) {
  const index_t n = std::numeric_limits<index_t>::max();
  const auto a = csr_from_triplets<float, std::int64_t>(
      32768, n, std::vector<index_t>{0, 32767, 32767}, std::vector<index_t>{32767, n - 1, 32767},
      std::vector<float>{1, 2, 3});
  const auto b = gcsb_from_csr(a.view(), 32768, 2, 1e9);
  EXPECT_EQ(b.places[2], 0x3fffffffu);  // the last of the block that has two
  EXPECT_EQ(b.places[1], 32767u << 15 | 32766u);
  b.validate();
  EXPECT_TRUE(gcsb_to_csr(b.view()) == a);
  const auto c = ecsb_from_csr(a.view(), 32768);
  EXPECT_EQ(c.ell.blocks[2], 65535u);
  c.validate();
  EXPECT_TRUE(ecsb_to_csr(c.view()) == a);
  const auto d = csb_baseline_from_csr(a.view(), 32768);
  EXPECT_TRUE(csb_baseline_to_csr(d.view()) == a);
}

}  // namespace
}  // namespace nz
