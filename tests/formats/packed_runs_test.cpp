#include <map>
#include <random>
#include <set>
#include <span>

#include <gtest/gtest.h>
#include <nonzero/formats.hpp>

#include "formats/packed_size.hpp"
#include "kernels/conform.hpp"

// The runs of packed slices, against a count of every diagonal.
namespace nz {
namespace {

// Rows with `diagonals` of the same ones, each left out now and then, and others of their own.
Csr<double, std::int64_t> rows_with(int diagonals, int others, std::mt19937_64& random) {
  constexpr index_t rows = 133, cols = 4000;
  std::set<index_t> common;
  while (static_cast<int>(common.size()) < diagonals)
    common.insert(static_cast<index_t>(random() % (cols - rows)));
  Csr<double, std::int64_t> a{rows, cols, Array<std::int64_t>(rows + 1)};
  std::vector<index_t> columns;
  a.offsets[0] = 0;
  for (index_t i = 0; i < rows; ++i) {
    std::set<index_t> row;
    for (const index_t d : common)
      if (random() % 10 > 0) row.insert(d + i);
    for (int k = 0; k < others; ++k) row.insert(static_cast<index_t>(random() % cols));
    columns.insert(columns.end(), row.begin(), row.end());
    a.offsets[i + 1] = std::ssize(columns);
  }
  a.columns = Array<index_t>(std::span<const index_t>(columns));
  a.values = Array<double>(columns.size(), 1.0);
  for (std::size_t k = 0; k < columns.size(); ++k) a.values[k] = 0.1 * static_cast<double>(k);
  return a;
}

TEST(PackedRuns, AreAllDiagonalsThatAreThreeQuartersFull) {
  SCOPED_TRACE("NZ_TEST_SEED=" + std::to_string(test::seed()));
  std::mt19937_64 random(test::seed());
  for (const int diagonals : {0, 1, 3, 12, 40})
    for (const int others : {0, 2, 30, 90}) {
      const auto a = rows_with(diagonals, others, random);
      const auto b = packed_from_csr(a.view(), 100);
      ASSERT_NO_THROW(b.validate());
      EXPECT_TRUE(packed_to_csr<std::int64_t>(b.view()) == a);
      constexpr index_t lanes = PackedView<double>::lanes;
      std::vector<index_t> runs;
      std::int64_t in_runs = 0;
      for (index_t first = 0; first < a.rows; first += lanes) {
        std::map<index_t, int> lines;
        for (index_t i = first; i < std::min(a.rows, first + lanes); ++i)
          for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
            ++lines[a.columns[k] - (i - first)];
        for (const auto& [start, entries] : lines)
          if (4 * entries >= 3 * lanes) {
            runs.push_back(start);
            in_runs += entries;
          }
      }
      EXPECT_EQ(std::vector<index_t>(b.run_columns.begin(), b.run_columns.end()), runs);
      const PackedSize size = packed_size(a.view());
      EXPECT_TRUE(size.fits);
      EXPECT_EQ(size.in_runs, in_runs);
      EXPECT_EQ(size.slots, std::ssize(b.masks));
      EXPECT_EQ(size.bytes + b.values.size() + b.table.size() * sizeof(double), b.bytes());
    }
}

}  // namespace
}  // namespace nz
