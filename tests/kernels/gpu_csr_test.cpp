#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/device.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "gpu/problem.hpp"
#include "kernels/row_groups.hpp"

// What the conformance test cannot see of the papers' CSR kernels for GPUs: how they group rows,
// which kernel they choose, and what they keep of a matrix that is on the device already.
namespace nz::test {
namespace {

using Lengths = std::vector<std::int64_t>;

template <class O>
std::vector<O> offsets_of(const Lengths& lengths) {
  std::vector<O> offsets = {0};
  for (const auto n : lengths) offsets.push_back(static_cast<O>(offsets.back() + n));
  return offsets;
}

template <class O>
std::vector<index_t> bins_of(const Lengths& lengths, std::int64_t size, std::int64_t most = 0) {
  return bin_rows(std::span<const O>(offsets_of<O>(lengths)), size, most);
}

TEST(RowGroups, BinsAreFullButNotOver) {
  using Bins = std::vector<index_t>;
  EXPECT_EQ(bins_of<std::int32_t>({}, 4), Bins({0}));
  EXPECT_EQ(bins_of<std::int32_t>({2}, 4), Bins({0, 1}));
  EXPECT_EQ(bins_of<std::int32_t>({2, 2, 1, 4, 3, 2}, 4), Bins({0, 2, 3, 4, 5, 6}));
  EXPECT_EQ(bins_of<std::int64_t>({2, 2, 1, 4, 3, 2}, 5), Bins({0, 3, 4, 6}));
  // A row longer than a bin is alone.
  EXPECT_EQ(bins_of<std::int32_t>({1, 9, 1, 1}, 4), Bins({0, 1, 2, 4}));
  EXPECT_EQ(bins_of<std::int32_t>({9, 9}, 1), Bins({0, 1, 2}));
  // Empty rows go along, and a long row after nothing but empty ones is not cut off.
  EXPECT_EQ(bins_of<std::int32_t>({0, 0, 0, 0, 0}, 2), Bins({0, 5}));
  EXPECT_EQ(bins_of<std::int32_t>({0, 9, 0, 3, 0, 0, 2}, 4), Bins({0, 2, 6, 7}));
  EXPECT_EQ(bins_of<std::int32_t>({0, 0, 0, 0, 0}, 2, 2), Bins({0, 2, 4, 5})) << "unless limited";
  const std::int64_t many = std::int64_t{3} << 30;
  EXPECT_EQ(bins_of<std::int64_t>({many, many, 1, 1}, 2), Bins({0, 1, 2, 4}));
}

TEST(RowGroups, ClassesAreByLength) {
  const auto offsets = offsets_of<std::int32_t>({9, 0, 3, 4, 100, 8, 3, 5});
  const RowClasses three = class_rows(std::span<const std::int32_t>(offsets), 4, 9);
  EXPECT_EQ(three.rows, std::vector<index_t>({1, 2, 6, 3, 5, 7, 0, 4}));
  EXPECT_EQ(three.short_rows, 3);
  EXPECT_EQ(three.medium_rows, 3);
  EXPECT_EQ(three.long_rows, 2);
  // No room between short and long: then none is medium.
  const RowClasses two = class_rows(std::span<const std::int32_t>(offsets), 9, 4);
  EXPECT_EQ(two.rows, std::vector<index_t>({1, 2, 3, 5, 6, 7, 0, 4}));
  EXPECT_EQ(two.medium_rows, 0);
  EXPECT_EQ(two.long_rows, 2);
}

TEST(RowGroups, RulesGoByMeanLength) {
  EXPECT_EQ(launch_bounds_for(0, 0), 0);
  EXPECT_EQ(launch_bounds_for(1000, 7999), 0);
  EXPECT_EQ(launch_bounds_for(1000, 8000), 2);
  EXPECT_EQ(launch_bounds_for(1000, 64'000), 2);
  EXPECT_EQ(launch_bounds_for(1000, 64'001), 1);
  EXPECT_FALSE(dense_rows(1000, 5999, 6));
  EXPECT_TRUE(dense_rows(1000, 6000, 6));
  EXPECT_TRUE(dense_rows(2'000'000'000, std::int64_t{1} << 42, 6));
}

class GpuCsr : public ::testing::Test {
 protected:
  void SetUp() override {
    if (match_kernels("gpu/csr/hybrid").empty() ||
        !find_kernel("gpu/csr/hybrid").runs_on_device(Device::Kind::emulator))
      GTEST_SKIP() << "built without the emulator";
  }
};

// Every row has `length` entries whose sum depends on the order they are added in.
Csr<float, std::int32_t> rows_of(index_t rows, index_t length) {
  const index_t cols = 4 * length + 3;
  std::vector<index_t> r, c;
  std::vector<float> v;
  for (index_t i = 0; i < rows; ++i)
    for (index_t k = 0; k < length; ++k) {
      r.push_back(i);
      c.push_back((i * 5 + k * 3) % cols);
      v.push_back(static_cast<float>(1 + std::sin(i + 7.0 * k)) * (k % 2 ? 1e-4f : 1.0f));
    }
  return csr_from_triplets<float, std::int32_t>(rows, cols, r, c, v);
}

std::vector<float> product(const CsrView<float, std::int32_t>& a, const std::string& kernel,
                           const Parameters& parameters = {}) {
  const auto plan =
      nz::plan(a, {.kernel = kernel, .parameters = parameters, .device = emulator_device});
  std::vector<float> x(static_cast<std::size_t>(a.cols)), y(static_cast<std::size_t>(a.rows));
  std::iota(x.begin(), x.end(), 0.3f);
  plan.multiply(1.0f, x, 0.0f, y);
  return y;
}

TEST_F(GpuCsr, ByDensityTakesThreadsForSparseRowsAndWarpsForDense) {
  for (const index_t length : {5, 6, 50}) {
    const auto a = rows_of(70, length);
    const auto by_threads = product(a.view(), "gpu/csr/thread-per-row");
    const auto by_warps = product(a.view(), "gpu/csr/warp-per-row");
    ASSERT_NE(by_threads, by_warps) << "the sums do not tell the kernels apart";
    const auto picks = [&](const Parameters& p) {
      return product(a.view(), "gpu/csr/by-density", p);
    };
    EXPECT_EQ(picks({}), length < 6 ? by_threads : by_warps) << length;
    EXPECT_EQ(picks({{"dense_from", length}}), by_warps) << length;
    EXPECT_EQ(picks({{"dense_from", length + 1}}), by_threads) << length;
  }
}

// With classes by parameter all rows go to threads, to warps or to blocks, whose sums differ.
TEST_F(GpuCsr, HybridSendsRowsWhereTheirLengthSays) {
  const auto a = rows_of(70, 50);
  const auto with = [&](std::int64_t shorts, std::int64_t mediums) {
    return product(a.view(), "gpu/csr/hybrid", {{"short", shorts}, {"medium", mediums}});
  };
  const auto threads = with(51, 51), warps = with(50, 51), blocks = with(50, 50);
  EXPECT_EQ(threads, product(a.view(), "gpu/csr/one-thread-per-row"));
  EXPECT_EQ(warps, product(a.view(), "gpu/csr/one-warp-per-row"));
  EXPECT_NE(threads, warps);
  EXPECT_NE(warps, blocks);
  EXPECT_EQ(with(0, 0), blocks);
  // Deliverable 1 has two classes, and rows of 64 are long.
  const auto first = [&](std::int64_t shorts) {
    return product(a.view(), "gpu/csr/hybrid-plain", {{"short", shorts}});
  };
  EXPECT_EQ(first(51), threads);
  EXPECT_EQ(first(50), warps);
  const auto longer = rows_of(40, 64), shorter = rows_of(40, 63);
  EXPECT_EQ(product(longer.view(), "gpu/csr/hybrid-plain"),
            product(longer.view(), "gpu/csr/one-warp-per-row-plain"));
  EXPECT_EQ(product(shorter.view(), "gpu/csr/hybrid-plain"),
            product(shorter.view(), "gpu/csr/one-thread-per-row-plain"));
}

// Neither the loop nor shared memory changes the order of a sum.
TEST_F(GpuCsr, FormsOfAPaperAddInTheSameOrder) {
  const auto a = rows_of(70, 90);
  for (const std::string name :
       {"gpu/csr/one-thread-per-row", "gpu/csr/one-warp-per-row", "gpu/csr/coalesced-bins"}) {
    const auto y = product(a.view(), name);
    EXPECT_EQ(product(a.view(), name, {{"rolled", 1}}), y) << name;
    EXPECT_EQ(product(a.view(), name, {{"launch_bounds", 3}}), y) << name;
    EXPECT_EQ(product(a.view(), name + "-shared"), y) << name;
    EXPECT_THROW(product(a.view(), name, {{"threads", 512}}), InvalidArgument) << name;
  }
  EXPECT_EQ(product(a.view(), "gpu/csr/hybrid-plain-shared"),
            product(a.view(), "gpu/csr/hybrid-plain"));
}

// The emulator has no registers, and says nothing of them.
TEST_F(GpuCsr, LaunchBoundsAreToldAndFollowTheMeanLength) {
  const auto facts_of = [](index_t length, const Parameters& p) {
    const auto a = rows_of(40, length);
    return nz::plan(a.view(),
                    {.kernel = "gpu/csr/hybrid", .parameters = p, .device = emulator_device})
        .product()
        .facts();
  };
  EXPECT_EQ(facts_of(7, {}), (Facts{{"launch_bounds", 0}}));
  EXPECT_EQ(facts_of(8, {}), (Facts{{"launch_bounds", 2}}));
  EXPECT_EQ(facts_of(65, {}), (Facts{{"launch_bounds", 1}}));
  EXPECT_EQ(facts_of(65, {{"launch_bounds", 4}}), (Facts{{"launch_bounds", 4}}));
  EXPECT_EQ(facts_of(65, {{"rolled", 1}}), (Facts{{"launch_bounds", 0}}));
}

// The order of a sum tells how many lanes had a part of it.
TEST_F(GpuCsr, AdaptiveTakesTheLanesItIsToldOrThatRowsCanUse) {
  const auto a = rows_of(70, 50);
  const auto with = [&](std::int64_t lanes) {
    return product(a.view(), "gpu/csr/adaptive", {{"lanes", lanes}});
  };
  EXPECT_NE(with(1), with(4));
  EXPECT_NE(with(4), with(32));
  EXPECT_EQ(with(5), with(4)) << "a power of two";
  // Few rows leave a device idle: each gets as many lanes as it has entries for.
  EXPECT_EQ(with(0), with(32));
  EXPECT_NO_THROW(product(a.view(), "gpu/csr/adaptive", {{"long_factor", 4}}));
}

// Whole numbers, whose sums are exact in any order: `length` entries a row, from column i % 7 on.
Csr<double, std::int32_t> whole_numbers(index_t rows, index_t length) {
  const std::size_t n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(length);
  Csr<double, std::int32_t> a{rows, length + 7,
                              Array<std::int32_t>(static_cast<std::size_t>(rows) + 1),
                              Array<index_t>(n), Array<double>(n)};
  for (index_t i = 0; i <= rows; ++i) a.offsets[i] = i * length;
  for (index_t i = 0, k = 0; i < rows; ++i)
    for (index_t j = 0; j < length; ++j, ++k) {
      a.columns[k] = i % 7 + j;
      a.values[k] = (i + 3 * j) % 11 - 5;
    }
  return a;
}

std::size_t bytes(const Csr<double, std::int32_t>& a, const char* parameter, std::int64_t value) {
  return nz::plan(a.view(), {.kernel = "gpu/csr/balanced",
                             .parameters = {{parameter, value}},
                             .device = emulator_device})
      .bytes();
}

// The kernel's products of them, N and T, are those of the serial one.
void expect_exact(const Csr<double, std::int32_t>& a, const Parameters& parameters) {
  const auto here = nz::plan(a.view(), {.kernel = "cpu/csr/serial"});
  const auto there =
      nz::plan(a.view(),
               {.kernel = "gpu/csr/balanced", .parameters = parameters, .device = emulator_device});
  for (const Op op : all_ops) {
    const auto in = static_cast<std::size_t>(op == Op::none ? a.cols : a.rows);
    std::vector<double> x(in), expected(static_cast<std::size_t>(a.rows + a.cols) - in, 1);
    for (std::size_t i = 0; i < in; ++i) x[i] = static_cast<double>(i % 13) - 6;
    auto y = expected;
    here.multiply(2.0, x, -1.0, expected, op);
    there.multiply(2.0, x, -1.0, y, op);
    EXPECT_EQ(y, expected) << name(op);
  }
}

TEST_F(GpuCsr, BalancedCutsLongRowsForWarpsOrForBlocks) {
  for (const std::int64_t piece : {0, 64, 100}) {
    expect_exact(whole_numbers(3, 2100), {{"piece", piece}});
    expect_exact(whole_numbers(1, 640), {{"piece", piece}});
  }
  // A block has 1,024 entries; a warp what it is told, but at least one a lane.
  const auto a = whole_numbers(3, 2100);
  EXPECT_LT(bytes(a, "piece", 0), bytes(a, "piece", 100));
  EXPECT_LT(bytes(a, "piece", 100), bytes(a, "piece", 64));
  EXPECT_EQ(bytes(a, "piece", 1), bytes(a, "piece", 32));
}

TEST_F(GpuCsr, BalancedFillsTilesOfBothSizes) {
  for (const std::int64_t items : {4, 8}) expect_exact(whole_numbers(40, 210), {{"items", items}});
}

// How many entries a thread has shows in the number of tiles that are kept.
TEST_F(GpuCsr, BalancedTakesTheEntriesAThreadThatRowsWant) {
  const auto small = whole_numbers(300, 60);
  EXPECT_LT(bytes(small, "items", 8), bytes(small, "items", 4));
  EXPECT_EQ(bytes(small, "items", 6), bytes(small, "items", 8));
  EXPECT_EQ(bytes(small, "items", 5), bytes(small, "items", 4));
  EXPECT_EQ(bytes(small, "items", 0), bytes(small, "items", 4));
  const auto large = whole_numbers(11000, 64);
  EXPECT_EQ(bytes(large, "items", 0), bytes(large, "items", 8));
}

// Beside a matrix that is on the device already a kernel keeps only what it adds.
TEST_F(GpuCsr, BorrowsMatricesOnTheDevice) {
  const auto a = rows_of(70, 9);
  const OnDevice<float> there(emulator_device, a.view());
  const auto plan = nz::plan(there.view(), {.kernel = "gpu/csr/hybrid", .device = emulator_device});
  EXPECT_TRUE(plan.product().borrows());
  EXPECT_EQ(plan.product().bytes(), 70 * sizeof(index_t)) << "the row lists alone";
}

}  // namespace
}  // namespace nz::test
