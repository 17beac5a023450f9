#include "simt/setup_scope.hpp"

#include <cstddef>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/device.hpp>

#include "gpu/conversions.hpp"

namespace nz::test {
namespace {

using simt::keeps_releases;
using simt::SetupScope;

class WhilePreparing : public ::testing::TestWithParam<Device> {};

TEST_P(WhilePreparing, TheOutermostScopeOfAThreadCounts) {
  const Device device = GetParam();
  NZ_NEEDS(device);
  {
    SetupScope outer(device);
    EXPECT_TRUE(keeps_releases(device));
    std::thread([&] { EXPECT_FALSE(keeps_releases(device)); }).join();
    {
      SetupScope inner(device);
      inner.finish();
    }
    EXPECT_TRUE(keeps_releases(device));
    outer.finish();
    EXPECT_FALSE(keeps_releases(device));
    outer.finish();  // once is enough
  }
  {
    SetupScope failing(device);
    EXPECT_TRUE(keeps_releases(device));
  }
  EXPECT_FALSE(keeps_releases(device));
  SetupScope none(cpu_device);
  EXPECT_FALSE(keeps_releases(device));
  none.finish();
}

TEST_P(WhilePreparing, MemoryGoesAtTheEnd) {
  const Device device = GetParam();
  NZ_NEEDS(device);
  constexpr std::size_t bytes = 1 << 20;
  simt::Backend& b = simt::backend(device);
  const std::size_t before = simt::live_allocations();
  {
    SetupScope scope(device);
    std::vector<void*> all;
    for (int i = 0; i < 4; ++i) {
      void* const memory = b.allocate(bytes);
      // A GPU's work may still use what was released: nobody else gets it.
      if (device.kind == Device::Kind::cuda) {
        for (const void* other : all) EXPECT_NE(memory, other);
      }
      all.push_back(memory);
      b.clear(memory, bytes, nullptr);
      b.release(memory);
    }
    EXPECT_EQ(simt::live_allocations(), before);
    scope.finish();
  }
  std::vector<int> numbers(1000), back(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  DeviceArray<int>(device, std::span<const int>(numbers)).download(back);
  EXPECT_EQ(back, numbers);
  EXPECT_EQ(simt::live_allocations(), before);
}

// Who asks again is answered without the driver, as long as no memory has gone.
TEST_P(WhilePreparing, AddressesAreKnownInTheScopeAlone) {
  const Device device = GetParam();
  NZ_NEEDS(device);
  simt::Backend& b = simt::backend(device);
  const DeviceArray<int> there(device, 10);
  const int here = 0;
  EXPECT_TRUE(b.owns(there.data()));
  EXPECT_FALSE(simt::known_to_lie_on(device, there.data())) << "no scope";
  {
    SetupScope scope(device);
    EXPECT_FALSE(simt::known_to_lie_on(device, there.data()));
    EXPECT_FALSE(b.owns(&here));
    EXPECT_FALSE(simt::known_to_lie_on(device, &here)) << "it may be the device's later";
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(b.owns(there.data()));
    EXPECT_TRUE(simt::known_to_lie_on(device, there.data()));
    EXPECT_FALSE(simt::known_to_lie_on(cpu_device, there.data()));
    std::thread([&] { EXPECT_FALSE(simt::known_to_lie_on(device, there.data())); }).join();
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(b.owns(there.data() + i)) << "more than it remembers";
    simt::forget_addresses();
    EXPECT_FALSE(simt::known_to_lie_on(device, there.data()));
    EXPECT_TRUE(b.owns(there.data()));
    scope.finish();
  }
  EXPECT_FALSE(simt::known_to_lie_on(device, there.data()));
  if (device == emulator_device) {
    SetupScope scope(device);
    void* const gone = b.allocate(100);
    EXPECT_TRUE(b.owns(gone));
    b.release(gone);
    EXPECT_FALSE(b.owns(gone)) << "an emulated device gives memory back at once";
    scope.finish();
  }
}

// Small copies to the host may take another way than large ones.
TEST_P(WhilePreparing, CopiesOfAnySizeComeBack) {
  const Device device = GetParam();
  NZ_NEEDS(device);
  for (const std::size_t n : {std::size_t{1}, std::size_t{65'535}, std::size_t{65'536},
                              std::size_t{65'537}, std::size_t{1'000'000}}) {
    std::vector<int> numbers(n), back(n);
    std::iota(numbers.begin(), numbers.end(), 7);
    const DeviceArray<int> there(device, std::span<const int>(numbers));
    there.download(back);
    EXPECT_EQ(back, numbers) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(, WhilePreparing, ::testing::ValuesIn(built_for()), made_on_name);

}  // namespace
}  // namespace nz::test
