// How kernels for CPUs split their work, which products do not show: what a plan keeps does.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/plan.hpp>

#include "kernels/cpu/esb.hpp"

namespace nz {
namespace {

// `length` entries a row, side by side from column i on.
Csr<double, std::int32_t> band(index_t rows, index_t length) {
  std::vector<index_t> r, c;
  std::vector<double> v;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < length; ++j) {
      r.push_back(i);
      c.push_back(i + j);
      v.push_back(1.0 / (1 + i + 3 * j));
    }
  return csr_from_triplets<double, std::int32_t>(rows, rows + length, r, c, v);
}

std::size_t bytes(const Csr<double, std::int32_t>& a, const std::string& kernel,
                  const Parameters& parameters, int threads) {
  return plan(a.view(), {.kernel = kernel, .parameters = parameters, .threads = threads}).bytes();
}

// Each part has its ends, and sums of its own for the transposed product.
TEST(CpuSplit, PackedSlicesHaveAPartForEachThread) {
  const auto a = band(2000, 5);
  const auto with = [&](std::int64_t grain, int threads) {
    return bytes(a, "cpu/packed/slices", {{"grain", grain}}, threads);
  };
  EXPECT_LT(with(1, 1), with(1, 2));
  EXPECT_LT(with(1, 2), with(1, 4));
  EXPECT_EQ(with(1 << 20, 4), with(1 << 20, 1)) << "too little for more than one";
}

// A line of blocks is one task where that is not too large, and needs no sums beside y.
TEST(CpuSplit, CsbTasksAreNoSmallerThanTheyAreToldTo) {
  const auto a = band(64, 60);
  const auto with = [&](std::int64_t tasks) {
    return bytes(a, "cpu/csb/balanced", {{"block_bits", 4}, {"tasks_per_thread", tasks}}, 1);
  };
  EXPECT_LT(with(1), with(8));
  EXPECT_LT(with(8), with(1024));
}

// Rows with as many entries in each column block: all are cut alike, whatever lies before them.
TEST(CpuSplit, EsbCutsEachColumnBlockByItself) {
  std::vector<index_t> r, c;
  for (index_t i = 0; i < 64; ++i)
    for (index_t j = 0; j < 30; ++j) {
      r.push_back(i);
      c.push_back(j);
    }
  const auto a =
      csr_from_triplets<double, std::int32_t>(64, 30, r, c, std::vector<double>(r.size(), 1));
  const auto m = cpu::esb_from_csr(a.view(), 3, 64);
  ASSERT_EQ(m.slices, 8);
  for (index_t b = 0; b < 3; ++b)
    EXPECT_EQ(cpu::split_slices(m, b, 4), (std::vector<index_t>{0, 2, 4, 6, 8})) << b;
}

}  // namespace
}  // namespace nz
