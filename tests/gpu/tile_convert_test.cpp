#include <random>
#include <string>
#include <vector>

#include "gpu/conversions.hpp"
#include "gpu/device/tiles_there.hpp"

// CSR that lies on the device becomes tiles there: the same arrays as the host's, bit for bit.
namespace nz::test {
namespace {

template <class T, class O>
Tiles<T> made_on(Device device, [[maybe_unused]] const CsrView<T, O>& a,
                 [[maybe_unused]] int side_bits) {
  NZ_RETURN_FROM_HOME(device, tiles_there(a, side_bits));
}

class TilesOnDevice : public ::testing::TestWithParam<Device> {
 protected:
  template <class T, class O>
  void convert(const Csr<T, O>& a, int side_bits) {
    SCOPED_TRACE(fmt::format("2^{}, {}, offsets of {} bits, NZ_TEST_SEED={}", side_bits,
                             name(value_type_of<T>), 8 * sizeof(O), seed()));
    const Tiles<T> here =
        tiles_from_csr(a.view(), side_bits == 0 ? 0 : std::int64_t{1} << side_bits);
    const DeviceCsr<T, O> there(GetParam(), a.view());
    const Tiles<T> made = made_on(GetParam(), there.view(), side_bits);
    EXPECT_EQ(made.rows, here.rows);
    EXPECT_EQ(made.cols, here.cols);
    ASSERT_EQ(made.side_bits, here.side_bits);
    ASSERT_TRUE(made.row_starts == here.row_starts);
    ASSERT_TRUE(made.tile_row == here.tile_row);
    ASSERT_TRUE(made.tile_column == here.tile_column);
    ASSERT_TRUE(made.column_starts == here.column_starts);
    ASSERT_TRUE(made.by_column == here.by_column);
    ASSERT_TRUE(made.first == here.first);
    ASSERT_TRUE(made.first_group == here.first_group);
    ASSERT_TRUE(made.group == here.group);
    ASSERT_TRUE(made.short_places == here.short_places);
    ASSERT_TRUE(made.long_rows == here.long_rows);
    ASSERT_TRUE(made.long_columns == here.long_columns);
    ASSERT_TRUE(same_bits<T>(made.values, here.values));  // NaN, and the sign of zero
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TilesOnDevice);

using Matrix = Csr<double, std::int64_t>;

TEST_P(TilesOnDevice, Battery) {
  NZ_NEEDS(GetParam());
  std::mt19937_64 random(seed());
  std::uniform_int_distribution<int> bits(1, 12);
  for (const BatteryMatrix& entry : shared_battery()) {
    SCOPED_TRACE(entry.name);
    convert(entry.matrix, 0);
    convert(csr_cast<float, std::int32_t>(entry.matrix.view()), bits(random));
    if (HasFatalFailure()) return;
  }
}

// Runs of rows and columns, tiles cut in pieces, and more than 64 mixed groups in one.
TEST_P(TilesOnDevice, EverySide) {
  NZ_NEEDS(GetParam());
  const Matrix a = generate("rmat:scale=8,degree=30").matrix;
  const auto b = csr_cast<float, std::int64_t>(a.view());
  const auto c = csr_cast<double, std::int32_t>(a.view());
  for (int bits = 1; bits <= tiles_most_side_bits; ++bits) {
    if (bits % 3 == 0) convert(a, bits);
    if (bits % 3 == 1) convert(b, bits);
    if (bits % 3 == 2) convert(c, bits);
    if (HasFatalFailure()) return;
  }
  convert(generate("random:rows=90,cols=110,density=0.9").matrix, 7);
}

// The rule looks at some strips: at each side it can take.
TEST_P(TilesOnDevice, TakesTheSideThatTheHostTakes) {
  NZ_NEEDS(GetParam());
  for (const char* what : {"random:rows=5000,cols=3000,density=0.0003", "diagonal:n=3000",
                           "random:rows=9000,cols=17000,density=0.00001"})
    convert(csr_cast<float, std::int32_t>(generate(what).matrix.view()), 0);
}

// A key takes all its bits.
TEST_P(TilesOnDevice, ShapesAtTheLimitOfAnIndex) {
  NZ_NEEDS(GetParam());
  convert(at_the_limit_of_an_index(), 15);
}

TEST_P(TilesOnDevice, KeepsNothingWhenMemoryIsShort) {
  NZ_NEEDS(GetParam());
  const Matrix a = generate("fem:nx=4,ny=3,nz=2").matrix;
  const DeviceCsr<double, std::int64_t> there(GetParam(), a.view());
  EXPECT_GE(fail_in_turn([&] { made_on(GetParam(), there.view(), 4); }), 20);
}

// A plan from CSR on the device takes this way, and multiplies as one from the host's does.
TEST_P(TilesOnDevice, PlansTakeIt) {
  NZ_NEEDS(GetParam());
  const Matrix a = generate("rmat:scale=8,degree=9").matrix;
  const DeviceCsr<double, std::int64_t> there(GetParam(), a.view());
  const PlanOptions options{
      .kernel = "gpu/tile/balanced", .parameters = {{"side_bits", 5}}, .device = GetParam()};
  const auto far = plan(there.view(), options), near = plan(a.view(), options);
  EXPECT_EQ(far.product().bytes(), near.product().bytes());
  EXPECT_EQ(far.product().facts(), near.product().facts());
  EXPECT_FALSE(far.product().borrows());
  std::mt19937_64 random(seed());
  for (const Op op : all_ops) {
    const auto x = numbers<double>(random, static_cast<std::size_t>(a.cols), Input::finite);
    std::vector<double> y(x.size()), z = y;
    far.multiply(1, x, 0, y, op);
    near.multiply(1, x, 0, z, op);
    EXPECT_TRUE(exact_product<double>(a.view(), op, 1.0, x, 0.0, y).judge(y).right());
    EXPECT_EQ(y, z);
  }
}

INSTANTIATE_TEST_SUITE_P(, TilesOnDevice, ::testing::ValuesIn(built_for()), made_on_name);

}  // namespace
}  // namespace nz::test
