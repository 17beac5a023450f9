// What only a GPU can show: times. Without one these are skipped, with NZ_REQUIRE_GPU they fail.
#include <cstdlib>

#include <gtest/gtest.h>
#include <nonzero/registry.hpp>

#include "lab/bench/gpu_state.hpp"
#include "lab/bench/gpu_timing.hpp"
#include "lab/bench/source.hpp"
#include "lab/bench/trial.hpp"

namespace nz::test {
namespace {

constexpr Device gpu{Device::Kind::cuda, 0};

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (why_no_cuda().empty()) return;
    if (std::getenv("NZ_REQUIRE_GPU")) FAIL() << "NZ_REQUIRE_GPU is set, but " << why_no_cuda();
    GTEST_SKIP() << "no CUDA device: " << why_no_cuda();
  }
};

TEST_F(OnGpu, TheMemoryIsMeasured) {
  for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{64} << 20}) {
    const lab::Bandwidth b = lab::measure_bandwidth(gpu, bytes);
    EXPECT_GT(b.read, 1e9);
    EXPECT_GT(b.copy, 1e9);
    EXPECT_EQ(b.array_bytes, bytes);
    EXPECT_EQ(b.device, "cuda:0");
  }
}

TEST_F(OnGpu, ProductsHaveAColdAndAHotTime) {
  // A product of microseconds, and one of many more.
  for (const char* source : {"gen:grid:nx=50,ny=50", "gen:grid:nx=2000,ny=2000"}) {
    const lab::Narrowed m = lab::narrow(lab::load(source).matrix);
    lab::Stage<double, std::int32_t> stage{std::get<0>(m).view()};
    const lab::Attempt attempt{.device = gpu,
                               .ops = {Op::none, Op::transpose},
                               .budget = {.warm_up_seconds = 1e-3, .seconds = 0.05}};
    for (const lab::Trial& t : stage.perform(find_kernel("gpu/csr/balanced"), attempt)) {
      ASSERT_EQ(t.status, lab::Status::ok) << t.reason;
      EXPECT_GE(t.timing.samples.size(), 3u);
      EXPECT_GE(t.hot.samples.size(), 3u);
      EXPECT_GT(t.timing.median(), 0);
      EXPECT_GT(t.hot.median(), 0);
      EXPECT_LT(t.hot.median(), 1);
    }
    const auto small = stage.perform(find_kernel("gpu/csr/balanced"), attempt);
    if (std::get<0>(m).rows == 2500) {
      EXPECT_TRUE(small.at(0).replayed) << "captured in a graph";
    }
    const auto once = stage.profile(find_kernel("gpu/csr/balanced"), attempt);
    EXPECT_EQ(once.at(0).timing.samples.size(), 1u) << once.at(0).reason;
  }
}

TEST_F(OnGpu, TheStateIsKnownOrNot) {
  if (const auto s = lab::gpu_state(gpu)) {
    EXPECT_GT(s->sm_mhz, 0u);
    EXPECT_GT(s->memory_mhz, 0u);
  }
}

}  // namespace
}  // namespace nz::test
