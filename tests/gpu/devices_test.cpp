#include <gtest/gtest.h>
#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>

#include "gpu/problem.hpp"
#include "simt/backend.hpp"
#include "support/message_of.hpp"

namespace nz::test {
namespace {

template <class Failure>
std::string message(std::string_view name) {
  return message_of<Failure>([&] { device_named(name); });
}

TEST(Devices, NamesThatAreNone) {
  for (const char* name :
       {"", "gpu", "CPU", "cuda:", "cuda:x", "cuda:0x", "cuda:99999999999", "emu:0"}) {
    const std::string said = message<InvalidArgument>(name);
    EXPECT_NE(said.find(std::string("'") + name + "'"), said.npos) << said;
  }
}

TEST(Devices, ThatAreNotThere) {
  const std::string far = message<NoResource>("cuda:99");
  EXPECT_NE(far.find("cuda:99"), far.npos) << far;
  EXPECT_GT(far.size(), std::string("cuda:99: ").size()) << "no reason in: " << far;
  message<NoResource>("cuda:-1");
}

TEST(Devices, WithoutAGpuEverythingSaysWhy) {
  if (why_no_cuda().empty()) GTEST_SKIP() << "there is a GPU";
  const std::string said = message<NoResource>("cuda:0");
  EXPECT_NE(said.find(why_no_cuda()), said.npos) << said;
  for (const Kernel* k : match_kernels("gpu/*"))
    EXPECT_THROW(nz::plan(Problem<float>(Op::none).a.view(), {.kernel = k->id()}), NoResource);
}

TEST(Devices, List) {
  const auto all = devices();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().device, cpu_device);
  EXPECT_GE(all.front().processors, 1);
#ifdef NZ_HAVE_EMULATOR
  EXPECT_EQ(all.back().device, emulator_device);
#endif
  for (const DeviceInfo& d : all) {
    EXPECT_EQ(device_named(d.device.name()), d.device);
    EXPECT_FALSE(d.description.empty());
    if (d.device == cpu_device) continue;
    EXPECT_GE(d.processors, 1);
    EXPECT_GT(d.memory_bytes, 0u);
    EXPECT_LE(d.free_bytes, d.memory_bytes);
    EXPECT_GE(d.shared_bytes, 48u * 1024);
    if (d.device.kind != Device::Kind::cuda) continue;
    EXPECT_GE(d.major, 5);
    EXPECT_GT(d.cache_bytes, 0u);
    EXPECT_GT(d.clock_mhz, 0);
    EXPECT_GE(d.driver, 12040);
    EXPECT_GE(d.runtime, 12040);
  }
}

TEST(Devices, Gpu) {
  const Device first{Device::Kind::cuda, 0};
  NZ_NEEDS(first);
  const auto all = devices();
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[1].device, first);
  EXPECT_EQ(device_named("cuda"), first);
}

TEST(Devices, MoreThanItsMemory) {
  for (const DeviceInfo& d : devices()) {
    if (d.device == cpu_device) continue;
    try {
      const DeviceArray<std::byte> all(d.device, 2 * d.memory_bytes);
      ADD_FAILURE() << d.device.name() << " gave twice its memory";
    } catch (const NoResource& e) {
      const std::string said = e.what();
      EXPECT_NE(said.find(d.device.name()), said.npos) << said;
      EXPECT_NE(said.find("needed"), said.npos) << said;
      EXPECT_NE(said.find("free"), said.npos) << said;
    }
  }
}

TEST(Devices, ArraysMoveAndKeepTheirContents) {
  const std::vector<float> numbers = {1, 2, 3, 4, 5};
  for (const DeviceInfo& d : devices()) {
    if (d.device == cpu_device) continue;
    const std::size_t before = simt::live_allocations();
    {
      DeviceArray<float> a(d.device, std::span(numbers));
      DeviceArray<float> b = std::move(a);
      EXPECT_EQ(a.size(), 0u);
      a = std::move(b);
      std::vector<float> back(numbers.size());
      a.download(back);
      EXPECT_EQ(back, numbers);
      const DeviceArray<float> empty(d.device, 0);
      EXPECT_EQ(empty.data(), nullptr);
      EXPECT_EQ(simt::live_allocations(), before + 1);
    }
    EXPECT_EQ(simt::live_allocations(), before);
  }
}

TEST(Devices, TrimGivesBackWhatWasReleased) {
  EXPECT_EQ(trim(cpu_device), 0u);
  EXPECT_THROW(trim({Device::Kind::cuda, 99}), NoResource);
  constexpr std::size_t large = std::size_t{64} << 20;
  const std::vector<float> numbers = {1, 2, 3, 4, 5};
  for (const DeviceInfo& d : devices()) {
    if (d.device == cpu_device) continue;
    const DeviceArray<float> stays(d.device, std::span(numbers));
    trim(d.device);
    { const DeviceArray<std::byte> released(d.device, large); }
    const std::size_t given = trim(d.device);
    if (d.device.kind == Device::Kind::emulator) {
      EXPECT_EQ(given, 0u);
    } else {
      EXPECT_GE(given, large) << d.device.name();
    }
    EXPECT_EQ(trim(d.device), 0u) << d.device.name();
    std::vector<float> back(numbers.size());
    stays.download(back);
    EXPECT_EQ(back, numbers) << d.device.name();
  }
}

TEST(Devices, CpuPlanTakesNoStreamOfADevice) {
  const Problem<double> p(Op::none);
  const auto plan = nz::plan(p.a.view(), {.kernel = "cpu/csr/serial"});
  std::vector<double> y = p.before;
  const StreamView far{Device{Device::Kind::cuda, 0}, nullptr};
  EXPECT_THROW(plan.multiply(p.alpha, p.x, p.beta, y, Op::none, far), InvalidArgument);
  for (const DeviceInfo& d : devices()) {
    if (d.device == cpu_device) continue;
    const Stream stream(d.device);
    EXPECT_THROW(plan.multiply(p.alpha, p.x, p.beta, y, Op::none, stream), InvalidArgument);
  }
  EXPECT_EQ(y, p.before);
}

}  // namespace
}  // namespace nz::test
