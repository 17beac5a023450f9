#include "plan/slice_samples.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/generate.hpp>

#include "kernels/packed_rules.hpp"

namespace nz {
namespace {

constexpr index_t seen_slices = 2;

// Diagonals of the first slices, in the mean of them.
double diagonals(const CsrView<double, std::int64_t>& a) {
  std::size_t sum = 0;
  for (index_t s = 0; s < seen_slices; ++s) {
    std::set<index_t> its;
    for (index_t i = s * slice_rows; i < (s + 1) * slice_rows; ++i)
      for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) its.insert(a.columns[k] - i);
    sum += its.size();
  }
  return static_cast<double>(sum) / seen_slices;
}

SliceSamples samples_of(const CsrView<double, std::int64_t>& a) {
  std::vector<index_t> starts;
  for (index_t s = 0; s <= seen_slices; ++s) starts.push_back(s * slice_rows);
  return pack_samples(a, starts, sizeof(double));
}

TEST(SliceSamples, CountTheDiagonalsOfASlice) {
  for (const std::string spec : {"grid:points=5,nx=64,ny=40", "grid:points=9,nx=500,ny=4",
                                 "banded:n=2000,lower=20,upper=20,density=0.5"}) {
    const auto a = csr_cast<double, std::int64_t>(generate(spec).matrix.view());
    EXPECT_DOUBLE_EQ(samples_of(a.view()).steps, diagonals(a.view())) << spec;
  }
}

// Where hardly any entries share one, those that are not looked at count each for itself.
TEST(SliceSamples, CountEntriesOfFewADiagonal) {
  const auto a = csr_cast<double, std::int64_t>(
      generate("random:rows=2000,cols=2000000,density=0.00001").matrix.view());
  const double entries = static_cast<double>(a.offsets[seen_slices * slice_rows]) / seen_slices;
  const double steps = samples_of(a.view()).steps;
  EXPECT_GE(steps, diagonals(a.view()));
  EXPECT_LE(steps, entries);
}

}  // namespace
}  // namespace nz
