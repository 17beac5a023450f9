#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gpu/conversions.hpp"
#include "gpu/device/bsr_there.hpp"

// CSR that lies on the device becomes BSR there: the same arrays, bit for bit, and the same
// refusals as the host's.
namespace nz::test {
namespace {

template <class T, class O>
Bsr<T, O> made_on(Device device, [[maybe_unused]] const CsrView<T, O>& a,
                  [[maybe_unused]] index_t rows, [[maybe_unused]] index_t cols,
                  [[maybe_unused]] double ratio) {
  NZ_RETURN_FROM_HOME(device, bsr_there(a, rows, cols, ratio));
}

template <class O>
BlockColumns<O> columns_on(Device device, [[maybe_unused]] const CsrView<double, O>& a,
                           [[maybe_unused]] index_t rows, [[maybe_unused]] index_t cols) {
  NZ_RETURN_FROM_HOME(device, columns_there(a, rows, cols));
}

class BsrOnDevice : public ::testing::TestWithParam<Device> {
 protected:
  template <class T, class O>
  void convert(const Csr<T, O>& a, index_t rows, index_t cols) {
    SCOPED_TRACE(fmt::format("{} x {} blocks, {}, offsets of {} bits, NZ_TEST_SEED={}", rows, cols,
                             name(value_type_of<T>), 8 * sizeof(O), seed()));
    const Bsr<T, O> here = bsr_from_csr(a.view(), rows, cols, 1e9);
    const DeviceCsr<T, O> there(GetParam(), a.view());
    const Bsr<T, O> made = made_on(GetParam(), there.view(), rows, cols, 1e9);
    EXPECT_EQ(made.nnz(), here.nnz());
    EXPECT_EQ(made.rows, here.rows);
    EXPECT_EQ(made.cols, here.cols);
    ASSERT_EQ(made.offsets, here.offsets);
    ASSERT_EQ(made.columns, here.columns);
    ASSERT_TRUE(same_bits<T>(made.values, here.values));  // NaN, and the sign of zero
  }

  template <class O>
  void order(const Csr<double, O>& a, index_t rows, index_t cols) {
    SCOPED_TRACE(fmt::format("{} x {} blocks, offsets of {} bits, NZ_TEST_SEED={}", rows, cols,
                             8 * sizeof(O), seed()));
    const BlockColumns<O> here = columns_of(bsr_from_csr(a.view(), rows, cols, 1e9).view());
    const DeviceCsr<double, O> there(GetParam(), a.view());
    const BlockColumns<O> made = columns_on(GetParam(), there.view(), rows, cols);
    ASSERT_EQ(made.starts, here.starts);
    ASSERT_EQ(made.block, here.block);
    ASSERT_EQ(made.row, here.row);
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BsrOnDevice);

using Matrix = Csr<double, std::int64_t>;

// Rows with these lengths, columns drawn at random.
Matrix with_lengths(const std::vector<index_t>& lengths, index_t cols) {
  std::mt19937_64 random(seed());
  std::vector<index_t> all(static_cast<std::size_t>(cols)), r, c;
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::sample(all.begin(), all.end(), std::back_inserter(c), lengths[i], random);
    r.resize(c.size(), static_cast<index_t>(i));
  }
  std::vector<double> v(c.size());
  std::iota(v.begin(), v.end(), 1.0);
  return csr_from_triplets<double, std::int64_t>(static_cast<index_t>(lengths.size()), cols, r, c,
                                                 v);
}

TEST_P(BsrOnDevice, Battery) {
  NZ_NEEDS(GetParam());
  std::mt19937_64 random(seed());
  std::uniform_int_distribution<index_t> side(1, 9);
  for (const BatteryMatrix& entry : shared_battery()) {
    SCOPED_TRACE(entry.name);
    convert(entry.matrix, side(random), side(random));
    convert(csr_cast<float, std::int32_t>(entry.matrix.view()), side(random), side(random));
    if (HasFatalFailure()) return;
  }
}

TEST_P(BsrOnDevice, Shapes) {
  NZ_NEEDS(GetParam());
  const Matrix a = generate("rmat:scale=8,degree=9").matrix;
  const auto b = csr_cast<float, std::int64_t>(a.view());
  const auto c = csr_cast<double, std::int32_t>(a.view());
  for (const auto& [rows, cols] :
       {std::pair{1, 1}, {1, 40}, {40, 1}, {7, 3}, {32, 32}, {33, 2}, {256, 256}, {1024, 1024}}) {
    convert(a, rows, cols);
    if (thin()) continue;
    convert(b, cols, rows);
    convert(c, rows, rows);
  }
}

TEST_P(BsrOnDevice, MatricesMadeOfBlocks) {
  NZ_NEEDS(GetParam());
  const Matrix fem = generate("fem:nx=6,ny=5,nz=4").matrix,
               band = generate("block-band:n=203").matrix;
  for (const auto& [rows, cols] : {std::pair{3, 3}, {5, 5}, {6, 3}, {2, 10}}) {
    convert(fem, rows, cols);
    convert(band, rows, cols);
  }
}

// Counts of leaders start anew every 8192 entries, words of them every 32.
TEST_P(BsrOnDevice, LongRowsAndWholeTiles) {
  NZ_NEEDS(GetParam());
  std::vector<index_t> lengths = {5, 0, 9'000, 3, 8'000, 0, 40};
  lengths.resize(60, 0);
  lengths.push_back(2);
  convert(with_lengths(lengths, 10'000), 4, 3);
  for (const index_t n : {32, 1024, 8192, 16'384}) convert(with_lengths({n - 7, 0, 7}, n), 2, 2);
}

TEST_P(BsrOnDevice, RefusesWhatTheHostRefuses) {
  NZ_NEEDS(GetParam());
  const Matrix a = generate("rmat:scale=7,degree=3").matrix;
  const DeviceCsr<double, std::int64_t> there(GetParam(), a.view());
  struct Case {
    index_t rows, cols;
    double ratio;
  };
  for (const auto& [rows, cols, ratio] : {Case{4, 4, 1.5}, {0, 2, 3}, {2, -1, 3}}) {
    expect_same_refusal([&] { bsr_from_csr(a.view(), rows, cols, ratio); },
                        [&] { made_on(GetParam(), there.view(), rows, cols, ratio); });
  }
  EXPECT_THROW(made_on(GetParam(), there.view(), 4, 4, 1.5), Refused);
  EXPECT_THROW(made_on(GetParam(), there.view(), 0, 4, 1.5), InvalidArgument);
}

TEST_P(BsrOnDevice, KeepsNothingWhenMemoryIsShort) {
  NZ_NEEDS(GetParam());
  const Matrix a = generate("fem:nx=4,ny=3,nz=2").matrix;
  const DeviceCsr<double, std::int64_t> there(GetParam(), a.view());
  EXPECT_EQ(fail_in_turn([&] { made_on(GetParam(), there.view(), 3, 3, 3); }), 5);
}

TEST_P(BsrOnDevice, BlocksInTheOrderOfColumns) {
  NZ_NEEDS(GetParam());
  bool wide = seed() % 2 == 0;
  for (const BatteryMatrix& entry : shared_battery()) {
    SCOPED_TRACE(entry.name);
    if (wide)
      order(entry.matrix, 1, 2);
    else
      order(csr_cast<double, std::int32_t>(entry.matrix.view()), 3, 1);
    wide = !wide;
    if (HasFatalFailure()) return;
  }
  // Several tiles of 4096 blocks, three digits; a whole tile; a column of one tile and more.
  order(with_lengths(std::vector<index_t>(45, 100), 90'000), 1, 1);
  order(with_lengths({4'096}, 5'000), 1, 1);
  order(with_lengths(std::vector<index_t>(5'000, 1), 1), 1, 1);
}

TEST_P(BsrOnDevice, OrderKeepsNothingWhenMemoryIsShort) {
  NZ_NEEDS(GetParam());
  const Matrix a = with_lengths(std::vector<index_t>(50, 100), 500);
  const DeviceCsr<double, std::int64_t> there(GetParam(), a.view());
  EXPECT_EQ(fail_in_turn([&] { columns_on(GetParam(), there.view(), 1, 1); }),
            5 + (GetParam().kind == Device::Kind::cuda ? 7 : 6));  // a sort on a GPU takes scratch
}

INSTANTIATE_TEST_SUITE_P(, BsrOnDevice, ::testing::ValuesIn(built_for()), made_on_name);

}  // namespace
}  // namespace nz::test
