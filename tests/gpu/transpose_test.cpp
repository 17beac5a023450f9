#include "gpu/conversions.hpp"
#include "gpu/device/transpose_there.hpp"

// CSR that lies on the device is transposed there: the same arrays as the host's, bit for bit.
namespace nz::test {
namespace {

template <class T, class O>
Csr<T, O> made_on(Device device, [[maybe_unused]] const CsrView<T, O>& a) {
  NZ_RETURN_FROM_HOME(device, transpose_there(a));
}

class TransposeOnDevice : public ::testing::TestWithParam<Device> {
 protected:
  template <class T, class O>
  void turn(const Csr<T, O>& a) {
    SCOPED_TRACE(fmt::format("{}, offsets of {} bits", name(value_type_of<T>), 8 * sizeof(O)));
    const Csr<T, O> here = transpose(a.view());
    const DeviceCsr<T, O> there(GetParam(), a.view());
    const Csr<T, O> made = made_on(GetParam(), there.view());
    EXPECT_EQ(made.rows, here.rows);
    EXPECT_EQ(made.cols, here.cols);
    ASSERT_TRUE(made.offsets == here.offsets);
    ASSERT_TRUE(made.columns == here.columns);
    ASSERT_TRUE(same_bits<T>(made.values, here.values));  // NaN, and the sign of zero
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TransposeOnDevice);

TEST_P(TransposeOnDevice, Battery) {
  NZ_NEEDS(GetParam());
  for (const BatteryMatrix& entry : shared_battery()) {
    SCOPED_TRACE(entry.name);
    turn(entry.matrix);
    turn(csr_cast<float, std::int32_t>(entry.matrix.view()));
    if (HasFatalFailure()) return;
  }
}

// Offsets and values of either size, together.
TEST_P(TransposeOnDevice, EveryType) {
  NZ_NEEDS(GetParam());
  const auto a = generate("rmat:scale=9,degree=9").matrix;
  turn(csr_cast<float, std::int64_t>(a.view()));
  turn(csr_cast<double, std::int32_t>(a.view()));
}

// Columns that no row has, at the ends and between.
TEST_P(TransposeOnDevice, EmptyColumns) {
  NZ_NEEDS(GetParam());
  turn(csr_from_triplets<double, std::int32_t>(
      70'000, 100'000, std::vector<index_t>{69'999, 0, 0, 69'999},
      std::vector<index_t>{65'536, 99'000, 255, 255}, std::vector<double>{1, 2, 3, 4}));
}

TEST_P(TransposeOnDevice, KeepsNothingWhenMemoryIsShort) {
  NZ_NEEDS(GetParam());
  const auto a = generate("fem:nx=4,ny=3,nz=2").matrix;
  const DeviceCsr<double, std::int64_t> there(GetParam(), a.view());
  EXPECT_GE(fail_in_turn([&] { made_on(GetParam(), there.view()); }), 6);
}

INSTANTIATE_TEST_SUITE_P(, TransposeOnDevice, ::testing::ValuesIn(built_for()), made_on_name);

}  // namespace
}  // namespace nz::test
