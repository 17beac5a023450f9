#include <limits>
#include <vector>

#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>

#include "formats/figures.hpp"
#include "formats/messages.hpp"

// Matrices that a format declines, and what it says.
namespace nz {
namespace {

constexpr double any_ratio = std::numeric_limits<double>::infinity();

// Row i has lengths[i] entries, from column 0 on.
Csr<float, std::int32_t> with_lengths(const std::vector<index_t>& lengths, index_t cols) {
  Csr<float, std::int32_t> a{
      static_cast<index_t>(lengths.size()), cols, Array<std::int32_t>(lengths.size() + 1), {}, {}};
  a.offsets[0] = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) a.offsets[i + 1] = a.offsets[i] + lengths[i];
  a.columns = Array<index_t>(static_cast<std::size_t>(a.offsets.back()));
  a.values = Array<float>(a.columns.size(), 1);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    for (index_t k = 0; k < lengths[i]; ++k) a.columns[a.offsets[i] + k] = k;
  return a;
}

TEST(Refuse, EllNamesRatioAndLimit) {
  std::vector<index_t> lengths(1000, 4);
  lengths[500] = 62;
  for (int i = 0; i < 942; ++i) lengths[i < 500 ? i : i + 1] = 5;
  const auto a = with_lengths(lengths, 100);
  ASSERT_EQ(a.nnz(), 5000);
  EXPECT_EQ(message_of<Refused>([&] { ell_from_csr(a.view()); }),
            "ELL: 12.4 slots a nonzero (1000 rows x 62), limit 3");
  EXPECT_EQ(message_of<Refused>([&] { ell_from_csr(a.view(), 12.3); }),
            "ELL: 12.4 slots a nonzero (1000 rows x 62), limit 12.3");
  EXPECT_EQ(ell_from_csr(a.view(), 12.4).width, 62);  // the limit itself is allowed
}

TEST(Refuse, EllBeforeItAllocates) {
  std::vector<index_t> lengths(1'000'000, 0);
  lengths[0] = 1'000'000;
  const auto a = with_lengths(lengths, 1'000'000);
  EXPECT_EQ(message_of<Refused>([&] { ell_from_csr(a.view()); }),
            "ELL: 1e+06 slots a nonzero (1000000 rows x 1000000), limit 3");
}

TEST(Refuse, SellNamesRatioAndLimit) {
  std::vector<index_t> lengths(128, 1);
  lengths[7] = 97;
  const auto a = with_lengths(lengths, 100);  // 224 entries, 97 x 32 + 3 x 32 slots
  EXPECT_EQ(message_of<Refused>([&] { sell_from_csr(a.view()); }),
            "SELL: 14.29 slots a nonzero (4 slices of 32 rows), limit 3");
  EXPECT_EQ(sell_from_csr(a.view(), 1).fill(), 0);
  EXPECT_NO_THROW(sell_from_csr(a.view(), 32, 1024, 15));
}

TEST(Refuse, SellThatItsOffsetsCannotCount) {
  std::vector<index_t> lengths(1 << 20, 0);
  lengths[5] = 4096;
  const auto a = with_lengths(lengths, 5000);
  EXPECT_EQ(message_of<Refused>([&] { sell_from_csr(a.view(), 1 << 20, 1, any_ratio); }),
            "SELL: 4294967296 entries do not fit 32-bit offsets; use 64-bit ones");
}

TEST(Refuse, PackedWhoseSlicesHaveTooManySlots) {
  EXPECT_EQ(message_of<Refused>(
                [&] { packed_from_csr(with_lengths({65'536}, 65'536).view(), any_ratio); }),
            "packed: rows 0 to 15 need 65536 slots, more than 65535");
  EXPECT_NO_THROW(packed_from_csr(with_lengths({65'535}, 65'535).view(), any_ratio).validate());
}

TEST(Refuse, BsrNamesRatioAndLimit) {
  const auto a = figure_matrix();
  EXPECT_EQ(message_of<Refused>([&] { bsr_from_csr(a.view(), 2, 3, 2.5); }),
            "BSR: 3 slots a nonzero (6 blocks of 2 x 3), limit 2.5");
  EXPECT_EQ(message_of<Refused>([&] { bsr_from_csr(a.view(), 4, 4); }),
            "BSR: 5.333 slots a nonzero (4 blocks of 4 x 4), limit 3");
  EXPECT_NO_THROW(bsr_from_csr(a.view(), 4, 4, 6));
}

TEST(Refuse, BsrWhoseBlocksFitNoMemory) {
  const index_t huge = std::numeric_limits<index_t>::max();
  const auto a = figure_matrix();
  EXPECT_EQ(message_of<Refused>([&] { bsr_from_csr(a.view(), huge, huge, any_ratio); }),
            "BSR: 3.843e+17 slots a nonzero (1 blocks of 2147483647 x 2147483647), limit inf");
}

TEST(Refuse, DiaNamesRatioAndLimit) {
  const auto a = figure_matrix();
  EXPECT_EQ(message_of<Refused>([&] { dia_from_csr(a.view()); }),
            "DIA: 4 slots a nonzero (8 diagonals x 6 rows), limit 3");
  EXPECT_EQ(dia_from_csr(a.view(), 4).offsets.size(), 8u);
}

TEST(Refuse, NothingOfAMatrixWithoutEntries) {
  const auto a = with_lengths(std::vector<index_t>(10, 0), 10);
  EXPECT_EQ(ell_from_csr(a.view(), 0).width, 0);
  EXPECT_EQ(sell_from_csr(a.view(), 4, 4, 0).values.size(), 0u);
  EXPECT_EQ(bsr_from_csr(a.view(), 3, 3, 0).columns.size(), 0u);
  EXPECT_EQ(dia_from_csr(a.view(), 0).offsets.size(), 0u);
  EXPECT_EQ(ell_from_csr(a.view(), any_ratio).fill_ratio(), 1);
}

TEST(Refuse, BadParameters) {
  const auto a = figure_matrix();
  EXPECT_EQ(message_of<InvalidArgument>([&] { sell_from_csr(a.view(), 0, 1); }),
            "SELL: chunk is 0, below 1");
  EXPECT_EQ(message_of<InvalidArgument>([&] { sell_from_csr(a.view(), 1, -3); }),
            "SELL: sigma is -3, below 1");
  EXPECT_EQ(message_of<InvalidArgument>([&] { bsr_from_csr(a.view(), 0, 2); }),
            "BSR: block_rows is 0, below 1");
  EXPECT_EQ(message_of<InvalidArgument>([&] { bsr_from_csr(a.view(), 2, -1); }),
            "BSR: block_cols is -1, below 1");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              hyb_width(a.view(), {0, 0});
            }),
            "HYB: relative speed 0 is not above 0");
  EXPECT_THROW(hyb_from_csr(a.view(), {std::numeric_limits<double>::quiet_NaN(), 0}),
               InvalidArgument);
}

// Views that claim more than 32 bits can count; nothing behind them is read.
class TooManyFor32Bits : public ::testing::Test {
 protected:
  static constexpr std::int64_t many = std::int64_t{1} << 31;
  const std::string message = "CSR: 2147483648 entries do not fit 32-bit offsets; use 64-bit ones";
};

TEST_F(TooManyFor32Bits, Csr) {
  const CsrView<double, std::int64_t> a{1, 1, many};
  EXPECT_EQ(message_of<Refused>([&] { csr_cast<double, std::int32_t>(a); }), message);
  Csr<double, std::int64_t> b{1, 1, {0, many}, {}, {}};
  EXPECT_EQ(message_of<Refused>([&] { csr_with_offsets<std::int32_t>(std::move(b)); }), message);
}

TEST_F(TooManyFor32Bits, Coo) {
  const CooView<double> a{.rows = 1, .cols = 1, .nnz = many};
  EXPECT_EQ(message_of<Refused>([&] { coo_to_csr<std::int32_t>(a); }), message);
}

TEST_F(TooManyFor32Bits, BsrWithItsFill) {
  const std::int32_t offsets[] = {0, 1};
  const index_t column = 0;
  const BsrView<double, std::int32_t> a{1 << 15, 1 << 16, 1 << 16, 1 << 16, 5, 1, offsets, &column};
  EXPECT_EQ(message_of<Refused>([&] { bsr_to_csr(a, Fill::keep); }), message);
}

TEST_F(TooManyFor32Bits, DiaWithItsFill) {
  Array<index_t> offsets(1 << 15);
  for (std::size_t d = 0; d < offsets.size(); ++d) offsets[d] = static_cast<index_t>(d);
  const DiaView<double> a{1 << 16, 1 << 17, 1 << 15, 5, offsets.data()};
  EXPECT_EQ(message_of<Refused>([&] { dia_to_csr<std::int32_t>(a, Fill::keep); }), message);
}

}  // namespace
}  // namespace nz
