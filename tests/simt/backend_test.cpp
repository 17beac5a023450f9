#include "simt/backend.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

#include "simt/sanitizers.hpp"
#include "support/message_of.hpp"

namespace nz::test {
namespace {

using simt::Backend;

TEST(EmulatorBackend, ItIsADevice) {
  EXPECT_EQ(device_named("emu"), emulator_device);
  EXPECT_EQ(emulator_device.name(), "emu");
  const auto all = devices();
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all.back().device, emulator_device);
  EXPECT_EQ(all.back().description, "emulator on this machine");
  EXPECT_EQ(all.back().shared_bytes, 227u * 1024);
  EXPECT_GT(all.back().processors, 0);
}

TEST(EmulatorBackend, FreshMemoryIsNaN) {
  const DeviceArray<float> a(emulator_device, 1000);
  const DeviceArray<double> b(emulator_device, 1000);
  for (std::size_t i = 0; i < 1000; ++i)
    EXPECT_TRUE(std::isnan(a.data()[i]) && std::isnan(b.data()[i]));
}

TEST(EmulatorBackend, CopiesGoThereAndBack) {
  std::vector<int> numbers = {1, 2, 3, 4, 5}, back(5);
  const DeviceArray<int> a(emulator_device, numbers);
  a.download(back);
  EXPECT_EQ(back, numbers);
  const DeviceArray<int> none(emulator_device, std::span<const int>{});
  EXPECT_EQ(none.data(), nullptr);
}

TEST(EmulatorBackend, OwnsWhatItGaveAndNothingElse) {
  Backend& b = simt::backend(emulator_device);
  char* p = static_cast<char*>(b.allocate(100));
  char* q = static_cast<char*>(b.allocate(1));
  int outside = 0;
  EXPECT_TRUE(b.owns(p));
  EXPECT_TRUE(b.owns(p + 99));
  EXPECT_FALSE(b.owns(p + 100));
  EXPECT_FALSE(b.owns(p - 1));
  EXPECT_TRUE(b.owns(q));
  EXPECT_FALSE(b.owns(&outside));
  EXPECT_FALSE(b.owns(nullptr));
  b.release(p);
  EXPECT_FALSE(b.owns(p));
  b.release(q);
}

TEST(EmulatorBackend, AccessesOutsideComeToLight) {
  Backend& b = simt::backend(emulator_device);
#ifdef NZ_ASAN  // stops them on the spot
  auto* a = static_cast<volatile unsigned char*>(b.allocate(40));
  EXPECT_DEATH(a[40] = 1, "AddressSanitizer");
  EXPECT_DEATH(static_cast<void>(a[-1]), "AddressSanitizer");
  b.release(const_cast<unsigned char*>(a));
#else
  for (const int at : {-1, -200, 40, 41, 250}) {
    auto* p = static_cast<unsigned char*>(b.allocate(40));
    EXPECT_NO_THROW(b.wait(nullptr));
    p[at] ^= 1;
    EXPECT_NE(message_of<DeviceFault>([&] { b.wait(nullptr); }).find("40 bytes"), std::string::npos)
        << at;
    p[at] ^= 1;
    EXPECT_NO_THROW(b.wait(nullptr));
    p[at] ^= 1;
    b.release(p);
    EXPECT_THROW(b.wait(nullptr), DeviceFault);  // released in the meantime
    EXPECT_NO_THROW(b.wait(nullptr));
  }
#endif
}

TEST(EmulatorBackend, MemoryThatIsNotThereIsRefused) {
  Backend& b = simt::backend(emulator_device);
  const std::size_t free = b.free_bytes(), live = simt::live_allocations();
  EXPECT_THROW(b.allocate(free + 1), NoResource);
  const std::string message = message_of<NoResource>([&] { b.allocate(std::size_t{1} << 40); });
  EXPECT_NE(message.find("1.0 TiB needed"), std::string::npos) << message;
  EXPECT_NE(message.find("16.0 GiB free"), std::string::npos) << message;
  EXPECT_THROW(b.allocate(~std::size_t{0}), NoResource);
  EXPECT_EQ(b.free_bytes(), free);
  void* p = b.allocate(1000);
  EXPECT_EQ(b.free_bytes(), free - 1000);
  b.release(p);
  EXPECT_EQ(b.free_bytes(), free);
  EXPECT_EQ(simt::live_allocations(), live);
}

TEST(EmulatorBackend, AllocationsFailOnDemand) {
  const std::size_t live = simt::live_allocations();
  for (int n = 0; n < 3; ++n) {
    simt::fail_allocation_after(n);
    const auto three = [] {
      const DeviceArray<int> a(emulator_device, 10), b(emulator_device, 10), c(emulator_device, 10);
    };
    EXPECT_THROW(three(), NoResource) << n;
    EXPECT_NO_THROW(three());  // only one fails
    EXPECT_EQ(simt::live_allocations(), live);
  }
  simt::fail_allocation_after(-1);
}

TEST(EmulatorBackend, PinnedMemory) {
  Backend& b = simt::backend(emulator_device);
  const std::size_t live = simt::live_allocations();
  void* p = b.allocate_pinned(100);
  EXPECT_EQ(simt::live_allocations(), live + 1);
  EXPECT_FALSE(b.owns(p));
  void* d = b.allocate(100);
  std::memset(p, 7, 100);
  b.copy_queued(d, p, 100, nullptr);
  b.wait(nullptr);
  EXPECT_EQ(std::memcmp(d, p, 100), 0);
  b.release(d);
  b.release_pinned(p);
  EXPECT_EQ(simt::live_allocations(), live);
}

TEST(EmulatorBackend, StreamsOfOthersAreRefused) {
  Backend& b = simt::backend(emulator_device);
  const Stream one(emulator_device), two(emulator_device);
  EXPECT_NE(one.view().handle, two.view().handle);
  EXPECT_NO_THROW(b.check_stream(one.view().handle));
  EXPECT_NO_THROW(b.check_stream(nullptr));
  EXPECT_NO_THROW(one.wait());
  int other = 0;
  auto* stranger = reinterpret_cast<CUstream_st*>(&other);
  EXPECT_THROW(b.check_stream(stranger), InvalidArgument);
  EXPECT_THROW(b.wait(stranger), InvalidArgument);
  DeviceArray<int> a(emulator_device, 1);
  const std::vector<int> number = {3};
  EXPECT_NO_THROW(a.upload(number, one));
  EXPECT_THROW(a.upload(number, {Device{Device::Kind::cuda, 0}, stranger}), InvalidArgument);
  CUstream_st* ended = b.make_stream();
  b.end_stream(ended);
  EXPECT_THROW(b.check_stream(ended), InvalidArgument);
}

}  // namespace
}  // namespace nz::test
