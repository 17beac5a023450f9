#include <cstdint>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/plan.hpp>

#include "kernels/coded_matrices.hpp"

// gpu/clusters/staged: whom it brings together, with every code of values, in blocks of every size,
// and what it refuses.
namespace nz::test {
namespace {

class GpuClusters : public CodedMatrices {
 protected:
  // A mesh of tetrahedra whose nodes have any numbers.
  template <class T>
  static Csr<T, std::int32_t> mesh() {
    return csr_cast<T, std::int32_t>(
        generate("tets:nx=12,ny=12,nz=12,order=1,unknowns=1,window=100000").matrix.view());
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuClusters);

// As they come, 64 rows have hardly a column in common; together they have most.
TEST_P(GpuClusters, BringsRowsTogether) {
  NZ_NEEDS(GetParam().device);
  const auto a = mesh<float>();
  const Facts as_they_come = check(a, {{"rows", 64}, {"cluster", 1}});
  const Facts together = check(a, {{"rows", 64}, {"cluster", 16}});
  EXPECT_GT(as_they_come.at("columns_a_nonzero"), 0.7);
  EXPECT_LT(together.at("columns_a_nonzero"), 0.5);
  EXPECT_EQ(together.at("blocks"), (a.rows + 63) / 64);
}

// The longest rows of a block come first, so that slices have rows of about one length.
TEST_P(GpuClusters, HasLittlePadding) {
  NZ_NEEDS(GetParam().device);
  const auto a = matrix<float>(512, 3, 40, Values::any);  // rows of 0 to 40 entries
  EXPECT_LT(check(a, {{"rows", 512}}).at("fill_ratio"), 1.2);
  EXPECT_GT(check(a, {{"rows", 32}}).at("fill_ratio"), 1.5);
}

TEST_P(GpuClusters, BlocksOfEverySize) {
  NZ_NEEDS(GetParam().device);
  const auto a = mesh<double>();
  const auto wide = matrix<double>(150, 7, 400, Values::any);
  for (const std::int64_t rows : {1, 32, 100, 256, 1024})
    for (const std::int64_t threads : {32, 256, 1024}) {
      SCOPED_TRACE(fmt::format("{} rows, {} threads, NZ_TEST_SEED={}", rows, threads, seed()));
      const Parameters parameters{{"rows", rows}, {"threads", threads}};
      const Facts facts = check(a, parameters);
      const double slices = facts.at("block_rows") / 32;
      EXPECT_EQ(slices, rows < 32 ? 1 : static_cast<double>(rows / 32));
      EXPECT_EQ(facts.at("warps_a_slice"),
                static_cast<double>(
                    std::max<std::int64_t>(1, threads / 32 / static_cast<std::int64_t>(slices))));
      check(wide, parameters);
    }
}

TEST_P(GpuClusters, EveryCode) {
  NZ_NEEDS(GetParam().device);
  const auto with = [&]<class T>(T, Values values, double value_bytes) {
    SCOPED_TRACE(fmt::format("{} bytes a value, NZ_TEST_SEED={}", value_bytes, seed()));
    const auto a = matrix<T>(90, 3, 300, values);
    EXPECT_EQ(check(a, {{"rows", 64}}).at("value_bytes"), value_bytes);
  };
  with(float{}, Values::ones, 0);
  with(float{}, Values::few, 1);
  with(float{}, Values::any, 4);
  with(double{}, Values::ones, 0);
  with(double{}, Values::few, 1);
  with(double{}, Values::floats, 4);
  with(double{}, Values::any, 8);
}

// A row that touches more columns than shared memory has room for.
TEST_P(GpuClusters, RefusesListsThatAreTooLong) {
  NZ_NEEDS(GetParam().device);
  const auto a = matrix<double>(40, 3, 40'000, Values::any);
  EXPECT_THROW(plan_of(a.view()), Refused);
}

INSTANTIATE_TEST_SUITE_P(Own, GpuClusters, ::testing::ValuesIn(places("gpu/clusters/staged")),
                         test_name);

}  // namespace
}  // namespace nz::test
