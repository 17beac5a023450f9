#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/plan.hpp>

#include "kernels/coded_matrices.hpp"

// gpu/panels/staged where rows and parts of rows go through several blocks, with every code of
// values, and x that lies anywhere.
namespace nz::test {
namespace {

class GpuPanels : public CodedMatrices {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuPanels);

// A tile of 256 entries a block: the long row goes through two, three, sixteen and more of them.
TEST_P(GpuPanels, ARowGoesThroughManyBlocks) {
  NZ_NEEDS(GetParam().device);
  for (const int long_row : {300, 700, 16 * 256 - 300, 20 * 256}) {
    SCOPED_TRACE(fmt::format("a row of {}, NZ_TEST_SEED={}", long_row, seed()));
    const auto a = matrix<double>(90, 3, long_row, Values::any);
    const Facts facts = check(a, {{"blocks", 1000}});
    EXPECT_EQ(facts.at("panels"), 1);
    EXPECT_EQ(facts.at("blocks"), facts.at("tiles"));
    EXPECT_GT(facts.at("blocks"), long_row / 256);
    check(a, {{"blocks", 3}, {"threads", 64}});
  }
}

TEST_P(GpuPanels, APartOfARowGoesThroughManyBlocks) {
  NZ_NEEDS(GetParam().device);
  for (const std::int64_t columns : {300, 3000, 5000}) {
    SCOPED_TRACE(fmt::format("{} columns, NZ_TEST_SEED={}", columns, seed()));
    const auto a = matrix<float>(90, 3, 6000, Values::any);
    const Facts facts = check(a, {{"columns", columns}, {"blocks", 1000}});
    EXPECT_GE(facts.at("panels"), 2);
    EXPECT_EQ(facts.at("blocks"), facts.at("tiles"));
    check(a, {{"columns", columns}, {"blocks", 7}});
    check(a, {{"columns", columns}, {"blocks", 1}});
  }
}

TEST_P(GpuPanels, EveryCode) {
  NZ_NEEDS(GetParam().device);
  const auto with = [&]<class T>(T, Values values, double value_bytes) {
    for (const std::int64_t columns : {0, 150}) {
      SCOPED_TRACE(fmt::format("{} bytes a value, {} columns, NZ_TEST_SEED={}", value_bytes,
                               columns, seed()));
      const auto a = matrix<T>(60, 3, 600, values);
      EXPECT_EQ(check(a, {{"columns", columns}, {"blocks", 5}}).at("value_bytes"), value_bytes);
    }
  };
  with(float{}, Values::ones, 0);
  with(float{}, Values::few, 1);
  with(float{}, Values::any, 4);
  with(double{}, Values::ones, 0);
  with(double{}, Values::few, 1);
  with(double{}, Values::floats, 4);
  with(double{}, Values::any, 8);
}

// Copies of 16 bytes need an x that is aligned so.
TEST_P(GpuPanels, TakesAnUnalignedX) {
  NZ_NEEDS(GetParam().device);
  const auto a = matrix<float>(70, 3, 500, Values::any);
  const Plan<float> plan = plan_of(a.view());
  const auto cols = static_cast<std::size_t>(a.cols), rows = static_cast<std::size_t>(a.rows);
  for (const std::size_t by : {1, 2, 3}) {
    const auto x = numbers<float>(random, cols, Input::finite);
    std::vector<float> shifted(by, 0);
    shifted.insert(shifted.end(), x.begin(), x.end());
    const DeviceArray<float> there(GetParam().device, std::span<const float>(shifted));
    DeviceArray<float> y_there(GetParam().device, rows);
    plan.multiply(1, std::span(there.data() + by, cols), 0, std::span(y_there.data(), rows));
    std::vector<float> y(rows), before(rows);
    detail::device_copy(GetParam().device, y.data(), y_there.data(), rows * sizeof(float), {});
    const Verdict v = check_product<float, std::int32_t>(a.view(), Op::none, 1, x, 0, before, y);
    EXPECT_TRUE(v.right()) << v.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Own, GpuPanels, ::testing::ValuesIn(places("gpu/panels/staged")),
                         test_name);

}  // namespace
}  // namespace nz::test
