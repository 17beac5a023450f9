#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/registry.hpp>

#include "plan/modelled_h200.hpp"
#include "plan/models.hpp"
#include "plan/tuning/h200.hpp"

// What the model of GPU kernels says of matrices that differ in one thing.
namespace nz {
namespace {

// What the model has of a kernel; nothing where it does not suggest it.
std::optional<Candidate> suggested(std::string_view kernel, const Features& f) {
  for (Candidate& c : gpu_candidates(f, h200, h200_tuning))
    if (c.kernel->id() == kernel) return c;
  return std::nullopt;
}
constexpr std::string_view of_small_and_large[] = {"gpu/csr/balanced", "gpu/coo/slots",
                                                   "gpu/compact/balanced"};

// A matrix with a few more entries takes a little longer, by every kernel: where one of them gained
// from a step, it would be taken on one side of it and not on the other.
TEST(Models, NoStepBetweenSmallAndLargeMatrices) {
  if (match_kernels("gpu/csr/balanced").empty()) GTEST_SKIP() << "no GPU kernels";
  for (const std::size_t value : {4, 8}) {
    for (const double slots : {1.0, 1.6, 5.0}) {
      std::vector<double> before(std::size(of_small_and_large), 0);
      for (double nnz = 0.1e6; nnz < 10e6; nnz *= 1.01) {
        const Features f{.rows = static_cast<index_t>(nnz / 20),
                         .cols = static_cast<index_t>(nnz / 20),
                         .nnz = static_cast<std::int64_t>(nnz),
                         .value_bytes = value,
                         .offset_bytes = 4,
                         .entries = 10'000,
                         .row_length = 20,
                         .compact_bytes = 2.3 + static_cast<double>(value),
                         .sell_slots = slots,
                         .narrow_value_bytes = static_cast<double>(value),
                         .lines = 0.3,
                         .longest_row = 60};
        for (std::size_t i = 0; i < before.size(); ++i) {
          const auto c = suggested(of_small_and_large[i], f);
          ASSERT_TRUE(c) << of_small_and_large[i];
          if (before[i] > 0) {
            EXPECT_GT(c->n_seconds, before[i]) << of_small_and_large[i] << ", " << nnz;
            EXPECT_LT(c->n_seconds, 1.02 * before[i]) << of_small_and_large[i] << ", " << nnz;
          }
          before[i] = c->n_seconds;
        }
      }
    }
  }
}

// Blocks of CSR and slots wait for each other in a row that many of them share; the compact format
// cuts such rows into pieces.
TEST(Models, ALongRowTakesLonger) {
  if (match_kernels("gpu/csr/balanced").empty()) GTEST_SKIP() << "no GPU kernels";
  Features f{.rows = 1'000'000,
             .cols = 1'000'000,
             .nnz = 8'000'000,
             .value_bytes = 8,
             .offset_bytes = 4,
             .row_length = 8,
             .longest_row = 20'000};
  const auto adds = [&](std::string_view kernel, double longest) {
    Features longer = f;
    longer.longest_row = longest;
    return suggested(kernel, longer)->n_seconds - suggested(kernel, f)->n_seconds;
  };
  for (const std::string_view kernel : {"gpu/csr/balanced", "gpu/coo/slots"}) {
    EXPECT_NEAR(adds(kernel, 120'000), 2e-6, 1e-12) << kernel;
    EXPECT_NEAR(adds(kernel, 1'020'000), 19.6e-6, 1e-12) << kernel << ": no more than of 1,000,000";
    EXPECT_NEAR(adds(kernel, 8'000'000), 19.6e-6, 1e-12) << kernel;
  }
  EXPECT_NEAR(adds("gpu/compact/balanced", 120'000), 0, 1e-15);
}

// Slices are walked diagonal by diagonal, so many of them at once.
TEST(Models, ManyDiagonalsTakeLongToPrepare) {
  if (match_kernels("gpu/packed/slices").empty()) GTEST_SKIP() << "no GPU kernels";
  Features f{.rows = 256'000,
             .cols = 256'000,
             .nnz = 2'560'000,
             .value_bytes = 8,
             .offset_bytes = 4,
             .entries = 10'000,
             .row_length = 10,
             .narrow_value_bytes = 8,
             .longest_row = 12,
             .slice_bytes = 10,
             .slice_picks = 40,
             .slice_steps = 10};
  const auto setup = [&] { return suggested("gpu/packed/slices", f).value().setup_seconds; };
  const double few = setup();
  f.slice_steps = 1010;
  EXPECT_NEAR(setup() - few, 1000 * 1.5e-6, 1e-9);  // 2,000 slices: all at once
  f.rows = f.cols = 2'560'000;
  EXPECT_NEAR(setup() - few, 1.5e-6 * (1010 * 20'000 / 2640.0 - 10), 1e-9);
}

// Of rows so long that one or two were seen, the lines of x that those touch are not counted: long
// rows that have all of x in common would seem to have nothing in common.
TEST(Models, LinesOfAFewRowsSayNothing) {
  if (match_kernels("gpu/csr/balanced").empty()) GTEST_SKIP() << "no GPU kernels";
  Features f{.rows = 435,
             .cols = 142'506,
             .nnz = 1'425'060,
             .value_bytes = 4,
             .offset_bytes = 4,
             .entries = 8 * 3276,
             .row_length = 3276,
             .lines = 0.7,
             .longest_row = 3276};
  const double of_eight = suggested("gpu/csr/balanced", f)->n_seconds;
  f.entries = 3276;
  const double of_one = suggested("gpu/csr/balanced", f)->n_seconds;
  f.lines = 0;
  EXPECT_LT(of_one, 0.8 * of_eight);
  EXPECT_EQ(of_one, suggested("gpu/csr/balanced", f)->n_seconds);
}

}  // namespace
}  // namespace nz
