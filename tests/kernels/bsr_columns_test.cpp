#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>
#include <nonzero/threads.hpp>

#include "kernels/battery.hpp"
#include "kernels/bsr_columns.hpp"
#include "kernels/conform.hpp"

namespace nz::test {
namespace {

template <class O>
void check(const BsrView<double, O>& a) {
  std::vector<std::tuple<index_t, index_t, O>> expected;  // column, row, block
  for (index_t i = 0; i < a.grid_rows(); ++i)
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) expected.emplace_back(a.columns[k], i, k);
  std::sort(expected.begin(), expected.end());
  const BlockColumns<O> got = columns_of(a);
  ASSERT_EQ(got.starts.size(), static_cast<std::size_t>(a.grid_cols()) + 1);
  ASSERT_EQ(got.block.size(), expected.size());
  ASSERT_EQ(got.row.size(), expected.size());
  ASSERT_EQ(got.starts[0], O{0});
  ASSERT_EQ(got.starts.back(), a.blocks);
  std::size_t at = 0;
  for (index_t j = 0; j < a.grid_cols(); ++j)
    for (; at < static_cast<std::size_t>(got.starts[static_cast<std::size_t>(j) + 1]); ++at)
      ASSERT_EQ(expected[at], std::tuple(j, got.row[at], got.block[at])) << at;
}

TEST(BlockColumns, AreTheBlocksSortedByColumnAndRow) {
  for (const BatteryMatrix& entry : shared_battery()) {
    SCOPED_TRACE(entry.name);
    for (const auto& [r, c] : {std::pair{1, 1}, {3, 2}, {2, 7}})
      check(bsr_from_csr(entry.matrix.view(), r, c, 1e9).view());
  }
}

TEST(BlockColumns, DoNotDependOnTheNumberOfThreads) {
  const auto a = generate("random:rows=900,cols=300,density=0.4").matrix;
  const auto b = bsr_from_csr(a.view(), 1, 1);
  ASSERT_GT(b.columns.size(), 90'000U);  // enough for several parts
  for (const int n : {1, 3, 5}) {
    const ThreadScope scope(n);
    check(b.view());
  }
}

}  // namespace
}  // namespace nz::test
