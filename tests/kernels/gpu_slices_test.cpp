#include <cstdint>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/plan.hpp>

#include "kernels/coded_matrices.hpp"

// gpu/sell/warp-per-slice in narrow and wide rounds, one and several warps a slice, with every code
// of values and columns of both sizes.
namespace nz::test {
namespace {

class GpuSlices : public CodedMatrices {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuSlices);

TEST_P(GpuSlices, EveryCodeInRoundsOfBothSizes) {
  NZ_NEEDS(GetParam().device);
  const auto with = [&]<class T>(T, Values values, double value_bytes) {
    for (const auto& [jump, column_bytes] : {std::pair{3, 2}, std::pair{200'000, 4}})
      for (const int round : {1, 2})
        for (const int parts : {1, 4}) {
          SCOPED_TRACE(fmt::format("{} bytes a value, {} a column, round {}, {} warps, seed {}",
                                   value_bytes, column_bytes, round, parts, seed()));
          const auto a = matrix<T>(70, jump, 60, values);
          const Facts facts = check(a, {{"round", round}, {"parts", parts}});
          EXPECT_EQ(facts.at("wide_rounds"), round - 1);
          EXPECT_EQ(facts.at("warps_a_slice"), parts);
          EXPECT_EQ(facts.at("value_bytes"), value_bytes);
          EXPECT_EQ(facts.at("column_bytes"), column_bytes);
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

// A round of eight would be half empty.
TEST_P(GpuSlices, RowsOfANarrowRoundTakeIt) {
  NZ_NEEDS(GetParam().device);
  for (const int length : {4, 12}) {
    std::vector<index_t> rows, columns;
    std::vector<float> values;
    for (index_t i = 0; i < 640; ++i)
      for (int k = 0; k < length; ++k) {
        rows.push_back(i);
        columns.push_back(i + k);
        values.push_back(static_cast<float>(1 + i % 7 + k));
      }
    const auto a = csr_from_triplets<float, std::int32_t>(640, 660, rows, columns, values);
    EXPECT_EQ(check(a, {}).at("wide_rounds"), length > 4 ? 1 : 0) << length;
  }
}

INSTANTIATE_TEST_SUITE_P(Own, GpuSlices, ::testing::ValuesIn(places("gpu/sell/warp-per-slice")),
                         test_name);

}  // namespace
}  // namespace nz::test
