#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>

#include "gpu/problem.hpp"
#include "kernels/coded_matrices.hpp"

// gpu/compact/balanced: every code of values with narrow and wide columns, in tiles and in pieces;
// what it makes of a matrix on the device; and that its bytes are counted right.
// gpu/slabs/balanced: many slabs, units and parts of rows; columns in any order.
namespace nz::test {
namespace {

class GpuCompact : public CodedMatrices {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuCompact);

TEST_P(GpuCompact, EveryCodeAndWidth) {
  NZ_NEEDS(GetParam().device);
  const auto with = [&]<class T>(T, Values values, double value_bytes, double different) {
    for (const std::int64_t items : {8, 16})
      for (const index_t jump : {3, 70'000}) {
        SCOPED_TRACE(fmt::format("{} bytes a value, {} items, a jump of {}, NZ_TEST_SEED={}",
                                 value_bytes, items, jump, seed()));
        const auto a = matrix<T>(90, jump, 300, values);
        const Facts facts = check(a, {{"threads", 32}, {"items", items}, {"piece", 100}});
        EXPECT_EQ(facts.at("value_bytes"), value_bytes);
        EXPECT_EQ(facts.at("different_values"), different);
        EXPECT_GE(facts.at("pieces"), 3);
        EXPECT_GT(facts.at("tiles"), 2);
        if (jump == 3)
          EXPECT_EQ(facts.at("wide_units"), 0);
        else
          EXPECT_GT(facts.at("wide_units"), facts.at("pieces"));  // tiles too
      }
  };
  with(float{}, Values::ones, 0, 1);
  with(float{}, Values::few, 1, 100);
  with(float{}, Values::halves, 2, 0);
  with(float{}, Values::bfloats, 2, 0);
  with(float{}, Values::any, 4, 0);
  with(double{}, Values::ones, 0, 1);
  with(double{}, Values::few, 1, 100);
  with(double{}, Values::floats, 4, 0);
  with(double{}, Values::any, 8, 0);
}

// The largest span of 2 bytes, and one more.
TEST_P(GpuCompact, WidthAtItsLimit) {
  NZ_NEEDS(GetParam().device);
  for (const index_t last : {65'635, 65'636}) {
    const auto a = csr_from_triplets<double, std::int32_t>(3, 70'000, std::vector<index_t>{0, 0, 2},
                                                           std::vector<index_t>{100, 200, last},
                                                           std::vector<double>{1, 2, 3});
    EXPECT_EQ(check(a, {}).at("wide_units"), last == 65'636);
  }
}

// What is read: 1000 entries of 2 and 1 bytes in 125 octets, 1001 starts of 2, one unit of 32, and
// a table of 4 values.
TEST_P(GpuCompact, CountsItsBytes) {
  NZ_NEEDS(GetParam().device);
  std::vector<index_t> places(1000);
  std::vector<double> values(1000);
  for (std::size_t k = 0; k < values.size(); ++k) {
    places[k] = static_cast<index_t>(k);
    values[k] = static_cast<double>(k % 4) / 3;
  }
  const auto a = csr_from_triplets<double, std::int32_t>(1000, 1000, places, places, values);
  const auto plan = plan_of(a.view(), {{"threads", 256}, {"items", 16}});
  const std::size_t held = 1000 * 3 + 1001 * 2 + 32, vectors = 2000 * sizeof(double);
  EXPECT_EQ(plan.product().facts().at("tiles"), 1);
  EXPECT_EQ(plan.product().bytes(), held + 256 * sizeof(double));
  EXPECT_EQ(plan.product().traffic(Op::none, false), held + 4 * sizeof(double) + vectors);
}

// A matrix on the device is converted there, to the same.
TEST_P(GpuCompact, TakesMatricesOnTheDevice) {
  NZ_NEEDS(GetParam().device);
  const auto a = matrix<double>(200, 9, 900, Values::few);
  const OnDevice<double> there(GetParam().device, a.view());
  const auto far = plan_of(there.view()), near = plan_of(a.view());
  EXPECT_FALSE(far.product().borrows());
  EXPECT_EQ(far.product().bytes(), near.product().bytes());
  EXPECT_EQ(far.product().facts(), near.product().facts());
  const auto x = numbers<double>(random, static_cast<std::size_t>(a.cols), Input::finite);
  std::vector<double> y(200), z(200);
  far.multiply(1, x, 0, y);
  near.multiply(1, x, 0, z);
  EXPECT_EQ(y, z);
}

class GpuSlabs : public CodedMatrices {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuSlabs);

TEST_P(GpuSlabs, ManySlabsUnitsAndParts) {
  NZ_NEEDS(GetParam().device);
  const auto a = matrix<double>(300, 70'000, 2000, Values::any);
  const Facts facts =
      check(a, {{"threads", 64}, {"bits", 16}, {"piece", 33}, {"items", 8}, {"shared", 64}});
  EXPECT_EQ(facts.at("slabs"), (a.cols + 65'535) / 65'536);
  EXPECT_GT(facts.at("slabs"), 30);
  EXPECT_GT(facts.at("units"), 2);
  EXPECT_GT(facts.at("long_rows"), 5);  // of 34 entries or more
  EXPECT_GE(facts.at("parts"), 61 + 2 * (facts.at("long_rows") - 1));
  const auto narrow = matrix<float>(200, 3, 300, Values::any);
  EXPECT_EQ(check(narrow, {}).at("slabs"), 1);
  EXPECT_EQ(check(narrow, {{"bits", 1}}).at("slabs"), (narrow.cols + 3) / 4);  // at most 256
}

// The shared memory that units may take limits their rows; there is no more than the device has.
TEST_P(GpuSlabs, RowsOfAUnitFitIntoSharedMemory) {
  if (GetParam().device.kind != Device::Kind::emulator) GTEST_SKIP() << "for its few processors";
  const index_t n = 10'000;
  Csr<double, std::int32_t> a{n, 1, Array<std::int32_t>(n + 1), Array<index_t>(n),
                              Array<double>(n)};
  std::iota(a.offsets.begin(), a.offsets.end(), 0);
  std::fill(a.columns.begin(), a.columns.end(), 0);
  std::fill(a.values.begin(), a.values.end(), 0.5);
  const auto rows = [&](std::int64_t shared) {
    return plan_of(a.view(), {{"shared", shared}}).product().facts().at("rows_a_unit");
  };
  EXPECT_LT(rows(64), rows(164));
  EXPECT_EQ(rows(512), rows(1024));
}

// Rows whose columns fall instead of rising, from the device's memory: the same as from the host's.
TEST_P(GpuSlabs, ColumnsInAnyOrder) {
  NZ_NEEDS(GetParam().device);
  auto a = matrix<double>(100, 9, 500, Values::any);
  for (index_t r = 0; r < a.rows; ++r)
    std::reverse(a.columns.begin() + a.offsets[std::size_t(r)],
                 a.columns.begin() + a.offsets[std::size_t(r) + 1]);
  check(a, {{"bits", 5}, {"piece", 100}});
  const OnDevice<double> there(GetParam().device, a.view());
  const auto far = plan_of(there.view(), {{"bits", 5}}), near = plan_of(a.view(), {{"bits", 5}});
  EXPECT_FALSE(far.product().borrows());
  EXPECT_EQ(far.product().facts(), near.product().facts());
  const auto x = numbers<double>(random, static_cast<std::size_t>(a.cols), Input::finite);
  std::vector<double> y(100), z(100);
  far.multiply(1, x, 0, y);
  near.multiply(1, x, 0, z);
  EXPECT_EQ(y, z);
}

INSTANTIATE_TEST_SUITE_P(Own, GpuSlabs, ::testing::ValuesIn(places("gpu/slabs/balanced")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Own, GpuCompact, ::testing::ValuesIn(places("gpu/compact/balanced")),
                         test_name);

}  // namespace
}  // namespace nz::test
