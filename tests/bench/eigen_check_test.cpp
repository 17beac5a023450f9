#include <string>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "lab/papers/mazzucchi2025.hpp"
#include "support/devices.hpp"

// mazzucchi2025's check with Eigen, where Eigen is and where it is not.
namespace nz::test {
namespace {

using namespace lab::mazzucchi2025;

// Another product under Eigen's name, where that is not built in.
void pretend_eigen() {
  nz::Kernel other = find_kernel("cpu/csr/serial");
  other.family = "peer";
  other.format = "eigen";
  other.strategy = "csr";
  add_kernels({other});
}

TEST(EigenCheck, EveryKernelIsHeldAgainstIt) {
  const auto a = generate("grid:nx=20,ny=30").matrix;
  std::string why_not;
  if (match_kernels("peer/eigen/csr").empty()) {
    EXPECT_TRUE(check_with_eigen(a.view(), cpu_device, why_not).empty());
    EXPECT_EQ(why_not, "Eigen was not built in");
    pretend_eigen();
  }
  why_not.clear();
  const EigenCheck cpu = check_with_eigen(a.view(), cpu_device, why_not);
  EXPECT_EQ(why_not, "");
  ASSERT_EQ(cpu.size(), 2u);
  for (const auto& [kernel, worst] : cpu) EXPECT_LT(worst, 1e-13) << kernel;
  if (!has_emulator()) return;
  const EigenCheck all = check_with_eigen(a.view(), device_named("emu"), why_not);
  EXPECT_EQ(all.size(), std::size(all_kernels));
  for (const auto& [kernel, worst] : all) EXPECT_LT(worst, 1e-13) << kernel;
}

}  // namespace
}  // namespace nz::test
