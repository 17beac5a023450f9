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
