#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/solve.hpp>

#include "solve/fused_ends.hpp"
#include "solve/systems.hpp"

// CG whose product brings (p, A p) along, as that of long vectors does, and CG whose product does
// not.
namespace nz::test {
namespace {

using solve::Stop;

TEST(FusedCg, GoesTheSameWay) {
  const auto a = csr_cast<double, std::int32_t>(generate("grid:nx=740,ny=720").matrix.view());
  const auto n = static_cast<std::size_t>(a.rows);
  ASSERT_GE(n * sizeof(double), 4u << 20) << "shorter vectors are not worth it";
  const std::vector<double> b(n, 1.0);
  const auto residuals = [&](const char* kernel, bool fuses, int threads) {
    const auto plan = nz::plan(a.view(), {.kernel = kernel, .threads = threads});
    EXPECT_EQ(plan.fuses(Op::none), fuses) << kernel;
    std::vector<double> x(n, 0.0);
    return solve::cg(plan, b, x, {.tolerance = 0, .max_iterations = 6}).history;
  };
  const auto plain = residuals("cpu/csr/serial", false, 1);
  ASSERT_EQ(plain.size(), 7u);
  for (const char* kernel : {"cpu/csr/balanced", "cpu/packed/slices"})
    for (const int threads : {1, 3}) {
      const auto fused = residuals(kernel, true, threads);
      ASSERT_EQ(fused.size(), plain.size());
      for (std::size_t i = 0; i < plain.size(); ++i)
        EXPECT_NEAR(fused[i], plain[i], 1e-9 * plain[i]) << kernel << ", iteration " << i;
    }
}

// On GPUs, where the dot product's scalars are then the first thing of one kernel with all other
// sweeps; short vectors too, in tests.
class FusedCgOnDevices : public ::testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
    const auto all = devices();
    if (std::none_of(all.begin(), all.end(),
                     [](const DeviceInfo& d) { return d.device == GetParam(); })) {
      if (std::getenv("NZ_REQUIRE_GPU")) FAIL() << "NZ_REQUIRE_GPU is set, but there is none";
      GTEST_SKIP() << "no CUDA device";
    }
  }
  void TearDown() override { solve::fuse_short_vectors(false); }
};

template <class T>
solve::Result with_ends(const CsrView<T, std::int64_t>& a, Device device, const char* kernel,
                        bool fused, solve::Options<T> options) {
  const auto plan = nz::plan(a, {.kernel = kernel, .device = device});
  EXPECT_TRUE(plan.fuses(Op::none)) << kernel;
  const std::vector<T> b = cast<T>(numbers(static_cast<std::size_t>(a.rows)));
  std::vector<T> x(b.size(), T(0));
  solve::fuse_short_vectors(fused);
  solve::Result r = solve::cg(plan, b, x, options);
  if (r.reason == Stop::converged) {
    EXPECT_LT(solve::true_residual(a, b, std::span<const T>(x)), 1.1 * options.tolerance);
  }
  return r;
}

template <class T>
void goes_the_same_way(Device device, double tolerance) {
  const auto a = csr_cast<T, std::int64_t>(laplace(9, 8).view());
  for (const char* kernel : {"gpu/csr/balanced", "gpu/packed/slices"})
    for (const bool preconditioned : {false, true})
      for (const int check_every : {1, 4}) {
        SCOPED_TRACE(std::string(kernel) + (preconditioned ? ", jacobi" : ""));
        solve::Options<T> options{
            .tolerance = tolerance, .max_iterations = 300, .check_every = check_every};
        if (preconditioned) options.preconditioner = solve::jacobi(a.view(), device);
        const auto plain = with_ends<T>(a.view(), device, kernel, false, options),
                   fused = with_ends<T>(a.view(), device, kernel, true, options);
        EXPECT_EQ(fused.reason, Stop::converged) << fused.message;
        ASSERT_NEAR(fused.iterations, plain.iterations, 1);
        for (std::size_t i = 0; i < 8; ++i)
          EXPECT_NEAR(fused.history[i], plain.history[i],
                      (sizeof(T) == 8 ? 1e-10 : 1e-3) * plain.history[i]);
      }
}

TEST_P(FusedCgOnDevices, GoesTheSameWay) {
  goes_the_same_way<double>(GetParam(), 1e-9);
  goes_the_same_way<float>(GetParam(), 1e-4);
}

// What the steps alone decide ends the iteration, as the dot product would.
TEST_P(FusedCgOnDevices, SaysThatAMatrixIsNotPositiveDefinite) {
  auto a = csr_cast<double, std::int64_t>(laplace(9, 8).view());
  for (double& v : a.values) v = -v;
  for (const int check_every : {1, 7})
    for (const bool fused : {false, true}) {
      const auto r =
          with_ends<double>(a.view(), GetParam(), "gpu/packed/slices", fused,
                            {.tolerance = 1e-9, .max_iterations = 50, .check_every = check_every});
      EXPECT_EQ(r.reason, Stop::not_definite) << r.message;
      EXPECT_EQ(r.iterations, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Everywhere, FusedCgOnDevices,
                         ::testing::Values(emulator_device, Device{Device::Kind::cuda, 0}),
                         [](const auto& place) {
                           return std::string(place.param.kind == Device::Kind::cuda
                                                  ? "all_on_cuda"
                                                  : "all_on_emu");
                         });

}  // namespace
}  // namespace nz::test
