#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/truth.hpp>

#include "kernels/conform.hpp"
#include "support/devices.hpp"

// Blocks of all sizes times several vectors: sums in shared memory up to 64 rows, atomics beyond;
// and the order of row swizzle.
namespace nz::test {
namespace {

void judge(Device device, const std::string& kernel, const Parameters& parameters, index_t k) {
  const auto a =
      csr_cast<float, std::int32_t>(generate("random:rows=150,cols=97,density=0.08").matrix.view());
  const Plan<float> p =
      plan(a.view(), {.kernel = kernel, .parameters = parameters, .device = device, .vectors = k});
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<float> number(-1, 1);
  for (const Op op : {Op::none, Op::transpose}) {
    if (!p.supports(op)) continue;
    SCOPED_TRACE(kernel + ' ' + std::string(name(op)) + ", columns " + std::to_string(k) +
                 ", NZ_TEST_SEED=" + std::to_string(seed()));
    EXPECT_TRUE(p.product().has_several(op));
    const index_t in = op == Op::none ? a.cols : a.rows, out = op == Op::none ? a.rows : a.cols;
    std::vector<float> x(static_cast<std::size_t>(in * k)), y(static_cast<std::size_t>(out * k));
    for (float& v : x) v = number(random);
    for (float& v : y) v = number(random);
    const std::vector<float> before = y;
    p.multiply(1.5f, row_major<const float>(x.data(), in, k), -0.5f, row_major(y.data(), out, k),
               op);
    for (index_t j = 0; j < k; ++j) {
      const auto column = [&](const std::vector<float>& all, index_t n) {
        std::vector<float> v(static_cast<std::size_t>(n));
        for (index_t i = 0; i < n; ++i)
          v[static_cast<std::size_t>(i)] =
              all[static_cast<std::size_t>(i) * static_cast<std::size_t>(k) +
                  static_cast<std::size_t>(j)];
        return v;
      };
      const auto v = check_product<float, std::int32_t>(a.view(), op, 1.5f, column(x, in), -0.5f,
                                                        column(before, out), column(y, out));
      ASSERT_TRUE(v.right()) << v.message();
    }
  }
}

class GcsbSeveral : public ::testing::TestWithParam<Device> {};

TEST_P(GcsbSeveral, BlocksOfAllSizes) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  for (const std::int64_t beta : {2, 16, 64, 128})
    for (const index_t k : {1, 3, 8, 33}) {
      const Parameters common{{"beta", beta}, {"max_ratio", 1'000'000}};
      judge(GetParam(), "gpu/gcsb/jagged", common, k);
      for (const std::int64_t leave : {0, 1}) {
        Parameters p = common;
        p["leave"] = leave;
        p["group_size"] = beta == 16 ? 5 : 32;
        judge(GetParam(), "gpu/gcsb/thread-per-block", p, k);
      }
    }
}

TEST_P(GcsbSeveral, RowsInTheOrderOfTheirLengths) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  for (const std::int64_t swizzle : {0, 1})
    for (const index_t k : {2, 5, 40})
      judge(GetParam(), "gpu/csr/row-swizzle", {{"swizzle", swizzle}}, k);
}

INSTANTIATE_TEST_SUITE_P(Everything, GcsbSeveral,
                         ::testing::Values(emulator_device, Device{Device::Kind::cuda, 0}),
                         [](const auto& place) {
                           return std::string(place.param == emulator_device ? "all_on_emu"
                                                                             : "all_on_cuda");
                         });

}  // namespace
}  // namespace nz::test
