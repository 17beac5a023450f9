#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/solve.hpp>

// CG whose product brings (p, A p) along, as that of long vectors does, and CG whose product does
// not.
namespace nz::test {
namespace {

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

}  // namespace
}  // namespace nz::test
