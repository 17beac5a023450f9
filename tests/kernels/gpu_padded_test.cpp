#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "gpu/problem.hpp"

// What the conformance test cannot see of ELL, SELL and HYB on the GPU: which part an entry is in,
// and what becomes of matrices that are on the device already.
namespace nz::test {
namespace {

class GpuPadded : public ::testing::Test {
 protected:
  void SetUp() override {
    if (match_kernels("gpu/ell/thread-per-row").empty() ||
        !find_kernel("gpu/ell/thread-per-row").runs_on_device(Device::Kind::emulator))
      GTEST_SKIP() << "built without the emulator";
  }
};

const Parameters wide = {{"max_ratio", 1000}};
const Parameters early = {{"relative_speed", 2}, {"breakeven_rows", 0}};

template <class A>
std::vector<float> product(const A& a, const Problem<float>& p, const char* kernel,
                           const Parameters& parameters) {
  const auto plan =
      nz::plan(a, {.kernel = kernel, .parameters = parameters, .device = emulator_device});
  EXPECT_FALSE(plan.product().borrows()) << kernel;
  std::vector<float> y = p.before;
  plan.multiply(p.alpha, p.x, p.beta, y, p.op);
  return y;
}

// Small integers: transposed sums by atomics are exact, too.
TEST_F(GpuPadded, TakeAMatrixFromDeviceMemory) {
  for (const Op op : all_ops) {
    const Problem<float> p(op);
    const OnDevice<float> there(emulator_device, p.a.view());
    for (const auto& [kernel, parameters] :
         {std::pair{"gpu/ell/thread-per-row", wide}, std::pair{"gpu/sell/thread-per-row", wide},
          std::pair{"gpu/hyb/thread-per-row", early}}) {
      SCOPED_TRACE(kernel);
      const auto y = product(there.view(), p, kernel, parameters);
      p.judge(y);
      EXPECT_EQ(y, product(p.a.view(), p, kernel, parameters));
    }
  }
}

// Rows of 3, and each tenth of 20: two slots in ten rows would be padding from the fourth slot on.
Csr<float, std::int32_t> mostly_short() {
  std::vector<index_t> r, c;
  for (index_t i = 0; i < 200; ++i)
    for (index_t k = 0; k < (i % 10 == 0 ? 20 : 3); ++k) {
      r.push_back(i);
      c.push_back((i + 7 * k) % 200);
    }
  return csr_from_triplets<float, std::int32_t>(200, 200, r, c, std::vector<float>(r.size(), 1));
}

TEST_F(GpuPadded, HybPutsInEllWhatEnoughRowsHave) {
  const auto a = mostly_short();
  const auto facts = [&](const Parameters& p) {
    return nz::plan(
               a.view(),
               {.kernel = "gpu/hyb/thread-per-row", .parameters = p, .device = emulator_device})
        .product()
        .facts();
  };
  const Facts split = facts(early);
  EXPECT_EQ(split.at("width"), 3);
  EXPECT_EQ(split.at("coo_entries"), 20 * 17);
  EXPECT_EQ(split.at("fill_ratio"), 1);
  EXPECT_EQ(facts({{"relative_speed", 10}, {"breakeven_rows", 0}}).at("coo_entries"), 0);
  EXPECT_EQ(facts({}).at("width"), 0) << "fewer rows than the break-even population";
}

TEST_F(GpuPadded, PaddingBeyondTheLimitIsRefused) {
  const auto a = mostly_short();
  EXPECT_THROW(nz::plan(a.view(), {.kernel = "gpu/ell/thread-per-row", .device = emulator_device}),
               Refused);
  EXPECT_NO_THROW(
      nz::plan(a.view(), {.kernel = "gpu/sell/thread-per-row", .device = emulator_device}));
}

}  // namespace
}  // namespace nz::test
