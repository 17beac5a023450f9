#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "formats/narrow_values.hpp"
#include "gpu/conversions.hpp"
#include "gpu/device/codes_there.hpp"

// Values that lie on the device are coded there: the host's code, and every value comes back.
namespace nz::test {
namespace {

template <class T>
CodedThere<T> coded_on(Device device, [[maybe_unused]] const T* values,
                       [[maybe_unused]] std::int64_t n, [[maybe_unused]] bool shorts = false) {
  NZ_RETURN_FROM_HOME(device, codes_there(values, n, shorts));
}

class CodesOnDevice : public ::testing::TestWithParam<Device> {
 protected:
  template <class T>
  void code(const std::vector<T>& values, ValueCode wanted, int different = 0,
            bool shorts = false) {
    const auto n = static_cast<std::int64_t>(values.size());
    const DeviceArray<T> there(GetParam(), std::span<const T>(values));
    const CodedThere<T> made = coded_on(GetParam(), there.data(), n, shorts);
    ASSERT_EQ(made.code, wanted);
    ASSERT_EQ(made.code, choose_value_code(values.data(), n, shorts).code);
    EXPECT_EQ(made.different, different);
    ASSERT_EQ(made.table.size(), table_size(wanted));
    ASSERT_EQ(made.stored.size(), values.size() * code_bytes<T>(wanted));
    const auto bits = [](T v) { return std::bit_cast<Bits<T>>(v); };
    EXPECT_TRUE(std::is_sorted(made.table.begin(), made.table.begin() + different,
                               [&](T a, T b) { return bits(a) < bits(b); }));
    const auto* stored = reinterpret_cast<const std::byte*>(made.stored.data());
    for (std::int64_t k = 0; k < n; ++k)
      ASSERT_EQ(bits(decode_value(made.code, stored, made.table.data(), k)),
                bits(values[static_cast<std::size_t>(k)]))
          << k;
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CodesOnDevice);

template <class T>
std::vector<T> repeated(std::size_t n, const std::vector<T>& those) {
  std::vector<T> all(n);
  for (std::size_t k = 0; k < n; ++k) all[k] = those[k * 7 % those.size()];
  return all;
}
template <class T>
std::vector<T> thirds(int n) {
  std::vector<T> all;
  for (int i = 0; i < n; ++i) all.push_back(T(i - 40) / T(3));
  return all;
}

TEST_P(CodesOnDevice, Constant) {
  NZ_NEEDS(GetParam());
  code<double>({}, ValueCode::constant);
  code<double>({0.1}, ValueCode::constant, 1);
  code<float>(std::vector<float>(3000, -0.0f), ValueCode::constant, 1);
  code<double>(std::vector<double>(40, std::nan("")), ValueCode::constant, 1);
}

TEST_P(CodesOnDevice, Tables) {
  NZ_NEEDS(GetParam());
  const double infinite = std::numeric_limits<double>::infinity();
  code<double>({0.0, -0.0, infinite, -infinite, std::nan(""), 0.1}, ValueCode::table, 6);
  code(repeated(3000, thirds<float>(256)), ValueCode::table, 256);
  code(repeated(3000, thirds<double>(256)), ValueCode::table, 256);
  code(repeated(3000, thirds<float>(257)), ValueCode::full);
  code(repeated(700, thirds<double>(257)), ValueCode::full);
}

// The sample lacks them: they turn up in passes over all.
TEST_P(CodesOnDevice, RareValues) {
  NZ_NEEDS(GetParam());
  std::vector<double> values(20'000, 1.0 / 3);
  for (std::size_t i = 0; i < 255; ++i) values[3 + 19 * i] = 2.0 + static_cast<double>(i) / 7;
  code(values, ValueCode::table, 256);
  values[19'999] = 77.7;
  code(values, ValueCode::full);
}

TEST_P(CodesOnDevice, DoublesThatAreFloats) {
  NZ_NEEDS(GetParam());
  std::vector<double> values(9000);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k) / 1024;
  values[5] = std::numeric_limits<float>::denorm_min();
  values[6] = -0.0;
  values[7] = std::numeric_limits<double>::infinity();
  code(values, ValueCode::single);
  values[4567] = 0.1;  // not in the sample
  code(values, ValueCode::full);
  code(std::vector<float>(values.begin(), values.end()), ValueCode::full);
}

// Few in the sample and floats all: too many different ones, but floats.
TEST_P(CodesOnDevice, FloatsAfterTooManyForATable) {
  NZ_NEEDS(GetParam());
  std::vector<double> values(20'000, 0.5);
  for (std::size_t i = 0; i < 400; ++i) values[3 + 19 * i] = static_cast<double>(i);
  code(values, ValueCode::single);
}

TEST_P(CodesOnDevice, FloatsOf16Bits) {
  NZ_NEEDS(GetParam());
  std::vector<float> halves(9000), bfloats(9000);
  for (std::size_t k = 0; k < halves.size(); ++k) {
    // Every seventh pattern of 16 bits, NaN, infinities and subnormals among them.
    halves[k] = half_value(static_cast<std::uint16_t>(7 * k));
    bfloats[k] = bfloat_value(static_cast<std::uint16_t>(7 * k));
  }
  code(halves, ValueCode::half, 0, true);
  code(bfloats, ValueCode::bfloat, 0, true);
  code(halves, ValueCode::full);  // for who has no such code
  for (std::vector<float>* values : {&halves, &bfloats}) {
    (*values)[4567] = 0.1f;  // not in the sample
    code(*values, ValueCode::full, 0, true);
  }
  std::vector<double> doubles(halves.begin(), halves.end());
  doubles.erase(std::remove_if(doubles.begin(), doubles.end(), [](double v) { return v != v; }),
                doubles.end());
  doubles.push_back(0.1);
  code(doubles, ValueCode::full, 0, true);
}

TEST_P(CodesOnDevice, KeepsNothingWhenMemoryIsShort) {
  NZ_NEEDS(GetParam());
  const std::vector<double> values = repeated(3000, thirds<double>(9));
  const DeviceArray<double> there(GetParam(), std::span<const double>(values));
  EXPECT_GE(fail_in_turn([&] { coded_on(GetParam(), there.data(), 3000); }), 4);
}

INSTANTIATE_TEST_SUITE_P(, CodesOnDevice, ::testing::ValuesIn(built_for()), made_on_name);

}  // namespace
}  // namespace nz::test
