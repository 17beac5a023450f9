#include "plan/second_copy.hpp"

#include <gtest/gtest.h>

#include "plan/planned.hpp"

namespace nz::test {
namespace {

constexpr double gib = double{1 << 30};

TEST(SecondCopy, ComesWhereMemoryIsPlentyOrAsked) {
  for (const std::string& place : places()) {
    SCOPED_TRACE(place);
    const Device device = device_named(place);
    EXPECT_TRUE(second_copy_allowed({}, device, 1e6));
    EXPECT_FALSE(second_copy_allowed({}, device, 1e15)) << "no machine has so much";
    EXPECT_FALSE(second_copy_allowed({.memory_limit = 1'000'000'000}, device, 1e6));
    EXPECT_FALSE(second_copy_allowed({.effort = Effort::instant}, device, 1e6));
    EXPECT_FALSE(second_copy_allowed({.store_transpose = false}, device, 1e6));
    EXPECT_TRUE(second_copy_allowed({.store_transpose = true}, device, 1e15));
    EXPECT_TRUE(second_copy_allowed({.deterministic = true}, device, 1e6));
    EXPECT_FALSE(second_copy_allowed({.deterministic = true}, device, 1e15));
  }
}

TEST(SecondCopy, PlentyIsAQuarterOfWhatIsFree) {
  if (places().size() < 2) GTEST_SKIP() << "built without the emulator";
  // The emulated device has 16 GiB.
  EXPECT_TRUE(second_copy_allowed({}, emulator_device, 3.9 * gib));
  EXPECT_FALSE(second_copy_allowed({}, emulator_device, 4.1 * gib));
  const DeviceArray<char> taken(emulator_device, std::size_t{1} << 20);
  EXPECT_FALSE(second_copy_allowed({}, emulator_device, 4 * gib));
  // Whatever is free: half of all, and a quarter of that.
  EXPECT_TRUE(second_copy_allowed({.deterministic = true}, emulator_device, 2 * gib));
  EXPECT_FALSE(second_copy_allowed({.deterministic = true}, emulator_device, 2.1 * gib));
}

TEST(SecondCopy, APlanForBothStoresTheTransposeUnasked) {
  if (places().size() < 2) GTEST_SKIP() << "built without the emulator";
  const auto a = whole("random:rows=900,cols=300,density=0.1");
  const auto stored = [&](PlanOptions options) {
    options.device = emulator_device;
    options.op = both_ops;
    const auto p = plan(a.view(), options);
    expect_right(p, a.view());
    return p.stores_transpose();
  };
  EXPECT_TRUE(stored({}));
  EXPECT_TRUE(stored({.store_transpose = true}));
  EXPECT_FALSE(stored({.store_transpose = false}));
  EXPECT_FALSE(stored({.memory_limit = 100'000'000}));
  EXPECT_FALSE(stored({.effort = Effort::instant}));
}

}  // namespace
}  // namespace nz::test
