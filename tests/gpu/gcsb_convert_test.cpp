#include <random>
#include <string>
#include <vector>

#include "gpu/conversions.hpp"
#include "gpu/device/gcsb_there.hpp"

// CSR that lies on the device becomes GCSB there: the same arrays, bit for bit, and the same
// refusals as the host's.
namespace nz::test {
namespace {

template <class T, class O>
Gcsb<T, O> made_on(Device device, [[maybe_unused]] const CsrView<T, O>& a,
                   [[maybe_unused]] std::int64_t beta, [[maybe_unused]] index_t group_size,
                   [[maybe_unused]] double ratio) {
  NZ_RETURN_FROM_HOME(device, gcsb_there(a, beta, group_size, ratio));
}

class GcsbOnDevice : public ::testing::TestWithParam<Device> {
 protected:
  template <class T, class O>
  void convert(const Csr<T, O>& a, std::int64_t beta, index_t group_size) {
    SCOPED_TRACE(fmt::format("beta {}, groups of {}, {}, offsets of {} bits, NZ_TEST_SEED={}", beta,
                             group_size, name(value_type_of<T>), 8 * sizeof(O), seed()));
    const Gcsb<T, O> here = gcsb_from_csr(a.view(), beta, group_size, 1e9);
    const DeviceCsr<T, O> there(GetParam(), a.view());
    const Gcsb<T, O> made = made_on(GetParam(), there.view(), beta, group_size, 1e9);
    EXPECT_EQ(made.nnz(), here.nnz());
    EXPECT_TRUE(static_cast<const BlockGrid&>(made) == here);
    EXPECT_EQ(made.group_size, here.group_size);
    ASSERT_TRUE(made.numbers == here.numbers);
    ASSERT_TRUE(made.offsets == here.offsets);
    ASSERT_TRUE(made.places == here.places);
    ASSERT_TRUE(same_bits<T>(made.values, here.values));  // NaN, and the sign of zero
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GcsbOnDevice);

using Matrix = Csr<double, std::int64_t>;

TEST_P(GcsbOnDevice, Battery) {
  NZ_NEEDS(GetParam());
  std::mt19937_64 random(seed());
  std::uniform_int_distribution<int> digits(2, 7);
  std::uniform_int_distribution<index_t> group(1, 70);
  for (const BatteryMatrix& entry : shared_battery()) {
    SCOPED_TRACE(entry.name);
    convert(entry.matrix, std::int64_t{1} << digits(random), group(random));
    convert(csr_cast<float, std::int32_t>(entry.matrix.view()), std::int64_t{1} << digits(random),
            group(random));
    if (HasFatalFailure()) return;
  }
}

TEST_P(GcsbOnDevice, BlocksAndGroups) {
  NZ_NEEDS(GetParam());
  const Matrix a = generate("rmat:scale=8,degree=9").matrix;
  const auto b = csr_cast<float, std::int64_t>(a.view());
  const auto c = csr_cast<double, std::int32_t>(a.view());
  for (const auto& [beta, group] :
       {std::pair{1, 32}, {2, 4}, {32, 32}, {64, 1}, {128, 5}, {32768, 3}}) {
    convert(a, beta, group);
    if (thin()) continue;
    convert(b, beta, group);
    convert(c, beta, group);
  }
}

// A key takes all its bits: many blocks, and of the largest side.
TEST_P(GcsbOnDevice, ShapesAtTheLimitOfAnIndex) {
  NZ_NEEDS(GetParam());
  convert(at_the_limit_of_an_index(), 32768, 2);
}

TEST_P(GcsbOnDevice, RefusesWhatTheHostRefuses) {
  NZ_NEEDS(GetParam());
  const Matrix a = generate("rmat:scale=7,degree=3").matrix;
  const DeviceCsr<double, std::int64_t> there(GetParam(), a.view());
  struct Case {
    std::int64_t beta;
    index_t group_size;
    double ratio;
  };
  for (const auto& [beta, group, ratio] :
       {Case{0, 4, 3}, {3, 4, 3}, {65536, 4, 3}, {8, 0, 3}, {8, -1, 3}, {1, 1, 3}, {8, 32, 1.1}}) {
    expect_same_refusal([&] { gcsb_from_csr(a.view(), beta, group, ratio); },
                        [&] { made_on(GetParam(), there.view(), beta, group, ratio); });
  }
  EXPECT_THROW(made_on(GetParam(), there.view(), 0, 4, 3), InvalidArgument);
  EXPECT_THROW(made_on(GetParam(), there.view(), 8, 32, 1.1), Refused);
}

TEST_P(GcsbOnDevice, KeepsNothingWhenMemoryIsShort) {
  NZ_NEEDS(GetParam());
  const Matrix a = generate("fem:nx=4,ny=3,nz=2").matrix;
  const DeviceCsr<double, std::int64_t> there(GetParam(), a.view());
  EXPECT_GE(fail_in_turn([&] { made_on(GetParam(), there.view(), 8, 4, 100); }), 13);
}

// A plan from CSR on the device takes this way, and multiplies as one from the host's does.
TEST_P(GcsbOnDevice, PlansTakeIt) {
  NZ_NEEDS(GetParam());
  const Matrix a = generate("rmat:scale=7,degree=9").matrix;
  const DeviceCsr<double, std::int64_t> there(GetParam(), a.view());
  const PlanOptions options{
      .kernel = "gpu/gcsb/thread-per-block", .parameters = {{"beta", 8}}, .device = GetParam()};
  const auto far = plan(there.view(), options), near = plan(a.view(), options);
  EXPECT_EQ(far.product().bytes(), near.product().bytes());
  EXPECT_FALSE(far.product().borrows());
  std::vector<double> x(static_cast<std::size_t>(a.cols), 1), y(static_cast<std::size_t>(a.rows)),
      z = y;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 5);
  const auto exact = exact_product<double>(a.view(), Op::none, 1.0, x, 0.0, y);
  far.multiply(1, x, 0, y);
  near.multiply(1, x, 0, z);
  EXPECT_TRUE(exact.judge(y).right());
  EXPECT_TRUE(exact.judge(z).right());
}

INSTANTIATE_TEST_SUITE_P(, GcsbOnDevice, ::testing::ValuesIn(built_for()), made_on_name);

}  // namespace
}  // namespace nz::test
