#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/formats/value_code.hpp>
#include <nonzero/generate.hpp>

#include "kernels/coded_matrices.hpp"

// gpu/packed/slices: every code of values with near and far picks, what runs save, and what it
// refuses.
namespace nz::test {
namespace {

class GpuPacked : public CodedMatrices {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuPacked);

TEST_P(GpuPacked, EveryCodeAndWidth) {
  NZ_NEEDS(GetParam().device);
  const auto with = [&]<class T>(T, Values values, ValueCode code) {
    for (const index_t jump : {3, 70'000}) {
      SCOPED_TRACE(fmt::format("code {}, a jump of {}, NZ_TEST_SEED={}", static_cast<int>(code),
                               jump, seed()));
      const Facts facts = check(matrix<T>(300, jump, 100, values), {});
      EXPECT_EQ(facts.at("value_code"), static_cast<double>(code));
      EXPECT_EQ(facts.at("far_picks"), jump != 3);
    }
  };
  with(float{}, Values::ones, ValueCode::constant);
  with(float{}, Values::few, ValueCode::table);
  with(float{}, Values::any, ValueCode::full);
  with(double{}, Values::ones, ValueCode::constant);
  with(double{}, Values::few, ValueCode::table);
  with(double{}, Values::floats, ValueCode::single);
  with(double{}, Values::any, ValueCode::full);
}

// Five diagonals of one value each, whose descriptions all slices but the first and the last share:
// what is left is 16 bytes a slice.
TEST_P(GpuPacked, StoresRunsOnce) {
  NZ_NEEDS(GetParam().device);
  const auto a =
      csr_cast<double, std::int32_t>(generate("grid:points=5,nx=64,ny=40").matrix.view());
  const Facts facts = check(a, {});
  EXPECT_EQ(facts.at("equal_runs"), 5 * 20);
  EXPECT_EQ(facts.at("stored_runs"), 5 * 3);
  EXPECT_EQ(facts.at("runs"), 0);
  EXPECT_EQ(facts.at("fill_ratio"), 0);
  EXPECT_LT(facts.at("bytes_a_nonzero"), 0.25);
}

// Runs of many values share their descriptions, too.
TEST_P(GpuPacked, SharesListsOfManyValues) {
  NZ_NEEDS(GetParam().device);
  const auto a =
      csr_cast<double, std::int32_t>(generate("banded:n=1280,lower=2,upper=2").matrix.view());
  const Facts facts = check(a, {});
  EXPECT_EQ(facts.at("equal_runs"), 0);
  EXPECT_EQ(facts.at("runs"), 5 * 10);
  EXPECT_EQ(facts.at("stored_runs"), 5 * 3);
}

// A slice of many more runs than others: there is no room for them in the first pass.
TEST_P(GpuPacked, TakesAListLongerThanOthers) {
  NZ_NEEDS(GetParam().device);
  std::vector<index_t> r, c;
  std::vector<float> v;
  for (index_t i = 0; i < 1280; ++i)
    for (index_t k = 0; k < (i / 128 == 4 ? 50 : 1); ++k) {
      r.push_back(i);
      c.push_back(i + 3 * k);
      v.push_back(k % 2 == 0 ? static_cast<float>(k) : static_cast<float>(i - 5 * k));
    }
  const Facts facts = check(csr_from_triplets<float, std::int32_t>(1280, 1500, r, c, v), {});
  EXPECT_EQ(facts.at("equal_runs"), 9 + 25);
  EXPECT_EQ(facts.at("runs"), 25);
  EXPECT_EQ(facts.at("stored_runs"), 1 + 50);
}

TEST_P(GpuPacked, RefusesARowFarLongerThanOthers) {
  NZ_NEEDS(GetParam().device);
  const auto a = matrix<double>(500, 3, 600, Values::any);
  try {
    plan_of(a.view());
    FAIL() << "took a row of 600 entries among rows of 20";
  } catch (const Refused& e) {
    EXPECT_NE(std::string(e.what()).find("row 250 has 600 entries"), std::string::npos) << e.what();
  }
  EXPECT_NO_THROW(plan_of(a.view(), {{"max_ratio", 20}}));
}

INSTANTIATE_TEST_SUITE_P(Own, GpuPacked, ::testing::ValuesIn(places("gpu/packed/slices")),
                         test_name);

}  // namespace
}  // namespace nz::test
