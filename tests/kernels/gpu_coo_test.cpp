#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/device.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "gpu/problem.hpp"

// What the conformance test cannot see of dinoia2025's rule that counts on the device.
namespace nz::test {
namespace {

class GpuCoo : public ::testing::Test {
 protected:
  void SetUp() override {
    if (match_kernels("gpu/coo/by-row-density-counted").empty() ||
        !find_kernel("gpu/coo/by-row-density-counted").runs_on_device(Device::Kind::emulator))
      GTEST_SKIP() << "built without the emulator";
  }
};

// Every third row has 90 entries, the others none; whole numbers, so that any order is exact.
Csr<double, std::int32_t> thirds(index_t rows) {
  std::vector<index_t> r, c;
  std::vector<double> v;
  for (index_t i = 0; i < rows; i += 3)
    for (index_t k = 0; k < 90; ++k) {
      r.push_back(i);
      c.push_back(k);
      v.push_back(1 + (i + k) % 7);
    }
  return csr_from_triplets<double, std::int32_t>(rows, 90, r, c, v);
}

// The error of a difference of prefix sums is bounded over the 1024 entries that a row lies in, so
// no larger number may come into it from before them, however many threads a block has.
TEST_F(GpuCoo, ChunksOfPrefixSumsLieWithinThoseThatBoundTheirError) {
  const index_t n = 1500;
  std::vector<index_t> at(n);
  std::vector<double> v(n, 1), x(n, 1), y(n);
  std::iota(at.begin(), at.end(), 0);
  v[1000] = 1e200;
  const auto a = csr_from_triplets<double, std::int32_t>(n, n, at, at, v);
  for (const std::int64_t threads : {32, 100, 511, 672, 1000, 1024}) {
    const auto plan = nz::plan(a.view(), {.kernel = "gpu/coo/ps-1024",
                                          .parameters = {{"threads", threads}},
                                          .device = emulator_device});
    plan.multiply(1, x, 0, y);
    for (std::size_t i = 1024; i < y.size(); ++i) ASSERT_EQ(y[i], 1) << i << ", " << threads;
  }
}

TEST_F(GpuCoo, TheRuleThatCountsGoesByRowsWithEntries) {
  const auto a = thirds(200);  // 67 rows of 90, 30 in the mean of all
  std::vector<double> x(90, 2), expected(200, 0), y(200);
  for (index_t i = 0; i < 200; i += 3)
    for (index_t k = 0; k < 90; ++k)
      expected[static_cast<std::size_t>(i)] += 2.0 * (1 + (i + k) % 7);
  for (const std::int64_t check : {0, 1})
    for (const std::int64_t dense : {1, 62, 90, 91, 1 << 20}) {
      const auto plan = nz::plan(a.view(), {.kernel = "gpu/coo/by-row-density-counted",
                                            .parameters = {{"dense", dense}, {"check", check}},
                                            .device = emulator_device});
      const Facts facts = plan.product().facts();
      EXPECT_EQ(facts.at("rows_with_entries"), 67);
      EXPECT_EQ(facts.at("sums_over"), dense <= 90 ? 1024 : 32) << dense;
      const auto small =
          nz::plan(a.view(), {.kernel = "gpu/coo/by-row-density-counted",
                              .parameters = {{"dense", dense}, {"check", check}, {"threads", 256}},
                              .device = emulator_device});
      EXPECT_EQ(small.product().facts().at("sums_over"), dense <= 90 ? 256 : 32) << dense;
      // Twice: what was counted for the first product is not in the second.
      for (int again = 0; again < 2; ++again) {
        plan.multiply(1.0, x, 0.0, y);
        EXPECT_EQ(y, expected) << dense << ", check " << check;
      }
    }
}

}  // namespace
}  // namespace nz::test
