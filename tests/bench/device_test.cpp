// The bench on a device, tried on the emulator.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "fake_kernels.hpp"
#include "lab/bench/device_bandwidth.hpp"
#include "lab/bench/gpu_timing.hpp"
#include "lab/bench/runner.hpp"
#include "lab/bench/verify.hpp"
#include "lab/report/bench_text.hpp"
#include "simt/backend.hpp"
#include "support/devices.hpp"

namespace nz::test {
namespace {

using lab::Status;
using lab::Trial;
using View = CsrView<double, std::int32_t>;

// A kernel for GPUs that keeps to the host: y comes out as `after` leaves it.
Kernel fake_gpu_kernel(FakePrepare prepare) {
  Kernel k = fake_kernel("fake", nullptr);
  k.runs_on = Device::Kind::cuda;
  std::get<FakePrepare>(k.emulated) = prepare;
  return k;
}

class OnEmulator : public testing::Test {
 protected:
  void SetUp() override { NZ_NEEDS_EMULATOR(); }
  const lab::Narrowed matrix = lab::narrow(lab::load("gen:grid:nx=8,ny=8").matrix);
  lab::Stage<double, std::int32_t> stage{std::get<0>(matrix).view()};
  const lab::Attempt attempt{.device = emulator_device, .ops = {Op::none, Op::transpose}};
};

TEST_F(OnEmulator, KernelsAreVerifiedAndNotTimed) {
  for (const char* id : {"gpu/csr/balanced", "gpu/csr/adaptive"})
    for (const Trial& t : stage.perform(find_kernel(id), attempt)) {
      EXPECT_EQ(t.status, Status::ok) << t.reason;
      EXPECT_EQ(t.device, emulator_device);
      EXPECT_EQ(t.reason, lab::emulator_note);
      EXPECT_TRUE(t.timing.samples.empty());
      EXPECT_TRUE(t.hot.samples.empty());
      EXPECT_TRUE(t.prepared);
      EXPECT_GE(t.bytes, std::get<0>(matrix).bytes()) << "the borrowed matrix counts";
      EXPECT_EQ(t.threads, 1);
    }
}

TEST_F(OnEmulator, MatrixAndVectorsAreOnTheDevice) {
  const Kernel k = fake_gpu_kernel([](const View& a, const Parameters&) {
    simt::Backend& b = simt::backend(emulator_device);
    EXPECT_TRUE(b.owns(a.offsets));
    EXPECT_TRUE(b.owns(a.values));
    return fake_product(a, [&b](std::span<double> y) { EXPECT_TRUE(b.owns(y.data())); });
  });
  const auto trials = stage.perform(k, attempt);
  EXPECT_EQ(trials.at(0).status, Status::ok) << trials.at(0).reason;
  EXPECT_EQ(trials.at(1).status, Status::refused) << "no T";
}

TEST_F(OnEmulator, AWrongOrLazyProductIsCaught) {
  stage.perform(find_kernel("gpu/csr/balanced"), attempt);  // leaves a right y there
  const Kernel wrong = fake_gpu_kernel([](const View& a, const Parameters&) {
    return fake_product(a, [](std::span<double> y) { y[17] += 1e-3; });
  });
  const Trial t = stage.perform(wrong, attempt).at(0);
  EXPECT_EQ(t.status, Status::wrong);
  EXPECT_TRUE(t.reason.starts_with("row 17 (counting from 0): ")) << t.reason;
  struct Lazy final : Product<double> {
    void multiply(Op, double, std::span<const double>, double, std::span<double>) const override {}
    std::size_t bytes() const override { return 0; }
    bool borrows() const override { return false; }
    std::size_t traffic(Op, bool) const override { return 0; }
  };
  const Kernel lazy =
      fake_gpu_kernel([](const View&, const Parameters&) -> std::unique_ptr<Product<double>> {
        return std::make_unique<Lazy>();
      });
  EXPECT_EQ(stage.perform(lazy, attempt).at(0).status, Status::wrong) << "y is poisoned anew";
}

TEST_F(OnEmulator, TooLittleDeviceMemoryIsAFailureThatEndsWithTheKernel) {
  const Kernel& k = find_kernel("gpu/csr/balanced");
  const std::size_t before = simt::live_allocations();
  int failures = 0;
  for (int after = 0; after < 40; ++after) {
    lab::Stage<double, std::int32_t> fresh{std::get<0>(matrix).view()};
    simt::fail_allocation_after(after);
    const auto trials = fresh.perform(k, attempt);
    simt::fail_allocation_after(-1);
    const bool failed =
        std::any_of(trials.begin(), trials.end(), [](auto& t) { return t.status != Status::ok; });
    for (const Trial& t : trials) {
      if (t.status != Status::ok) {
        EXPECT_EQ(t.status, Status::failed);
        EXPECT_NE(t.reason.find("not enough memory on emu"), std::string::npos) << t.reason;
      }
    }
    failures += failed;
    // The run goes on with the next kernel.
    EXPECT_EQ(fresh.perform(k, attempt).at(0).status, Status::ok);
    if (!failed) break;
  }
  EXPECT_GE(failures, 5) << "three arrays of the matrix, x, y";
  EXPECT_LT(failures, 40);
  EXPECT_EQ(simt::live_allocations(), before);
}

TEST_F(OnEmulator, ABrokenRuleIsAFailureInTheBenchAndWrongInTheCheck) {
  const Kernel k = fake_gpu_kernel([](const View& a, const Parameters&) {
    return fake_product(a, [](std::span<double>) { throw DeviceFault("block 3, thread 4"); });
  });
  const Trial t = stage.perform(k, attempt).at(0);
  EXPECT_EQ(t.status, Status::failed);
  EXPECT_EQ(t.reason, "block 3, thread 4");
  lab::Judge judge(std::get<0>(matrix).view());
  const auto checked = lab::conformance(k, judge, emulator_device);
  EXPECT_EQ(checked.at(0).outcome, lab::Conformance::Outcome::wrong);
  EXPECT_EQ(checked.at(0).reason, "block 3, thread 4");
}

TEST_F(OnEmulator, TheRecordSaysWhereAndHasNoTimes) {
  lab::Order order;
  order.device = emulator_device;
  order.matrices = {{"small", "gen:grid:nx=5,ny=5", ""}};
  const auto matrix_there = generate("grid:nx=5,ny=5").matrix;
  order.kernels = {choose(matrix_there.view(), Op::none, emulator_device).kernel};
  order.plan = true;
  lab::Record r;
  lab::Listener quiet;
  EXPECT_TRUE(lab::run(order, r, quiet));
  ASSERT_EQ(r.results.size(), 1u) << "the plan's kernel, once";
  const lab::Result& one = r.results.front();
  EXPECT_EQ(one.device, "emu");
  EXPECT_EQ(one.status, Status::ok);
  EXPECT_FALSE(one.timed());
  EXPECT_FALSE(one.setup_s) << "never with a time";
  EXPECT_TRUE(one.worst_error);
  EXPECT_EQ(one.planned, true);
  EXPECT_TRUE(r.bandwidth.empty());
  EXPECT_TRUE(lab::run(order, r, quiet));
  EXPECT_EQ(r.results.size(), 1u) << "nothing left to do";
  EXPECT_NE(lab::bench_text(r, false).find(lab::emulator_note), std::string::npos);
}

TEST(Device, KernelsStayOnTheirOwn) {
  const lab::Narrowed m = lab::narrow(lab::load("gen:grid:nx=3,ny=3").matrix);
  lab::Stage<double, std::int32_t> stage{std::get<0>(m).view()};
  const Kernel gpu = fake_gpu_kernel(nullptr);
  const Trial t = stage.perform(gpu, {}).at(0);
  EXPECT_EQ(t.status, Status::refused);
  EXPECT_EQ(t.reason, "does not run on cpu");
}

TEST(Device, WithoutAGpuNothingIsTimed) {
  if (why_no_cuda().empty()) GTEST_SKIP() << "there is one";
  EXPECT_THROW(lab::GpuTimer({Device::Kind::cuda, 0}), NoResource);
  EXPECT_THROW(lab::measure_bandwidth(Device{Device::Kind::cuda, 0}, 1 << 20), NoResource);
}

TEST(Device, TheMemoryTestAddsUpWhatIsThere) {
#ifdef NZ_HAVE_EMULATOR
  for (const std::size_t n : {2u, 1000u, 20002u})
    for (const bool keep : {false, true}) {
      constexpr int blocks = 3;
      DeviceArray<double> a(emulator_device, n),
          parts(emulator_device, blocks * reading_block / 32);
      emulated::queue_fill(nullptr, a.data(), static_cast<std::int64_t>(n), blocks);
      emulated::queue_sum(nullptr, a.data(), static_cast<std::int64_t>(n), parts.data(), blocks,
                          keep);
      std::vector<double> sums(parts.size());
      parts.download(sums);
      double total = 0, expected = 0;
      for (const double s : sums) total += s;
      for (std::size_t i = 0; i < n; ++i) expected += memory_value(static_cast<std::int64_t>(i));
      EXPECT_EQ(total, expected) << n;
    }
#else
  GTEST_SKIP() << "this build has no emulator";
#endif
}

}  // namespace
}  // namespace nz::test
