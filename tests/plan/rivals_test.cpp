#include "plan/rivals.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/registry.hpp>

#include "plan/expected_saving.hpp"

namespace nz {
namespace {

constexpr double memory = 8e9;
const Constraints for_n{.use = Op::none};
using Places = std::vector<std::size_t>;

// Candidates whose products are predicted to take so many microseconds, each with a setup of 100 of
// them and a megabyte.
Selection selection(const std::vector<double>& microseconds) {
  Selection s;
  s.features.nnz = 1'000'000;
  for (const double each : microseconds)
    s.candidates.push_back({.kernel = &find_kernel("cpu/csr/balanced"),
                            .n_seconds = 1e-6 * each,
                            .setup_seconds = 100e-6,
                            .bytes = 1e6});
  s.usable = s.in_time = s.candidates.size();
  return s;
}

// By adding up: z is a prediction's error.
TEST(Rivals, AreExpectedToSaveTheMeanOfWhatTheyMaySave) {
  constexpr double step = 1e-4;
  for (const double deviation : {0.17, 0.27, 0.4})
    for (const double ratio : {0.9, 1.0, 1.1, 1.3, 2.0}) {
      double mean = 0;
      for (double z = -6; z < 6; z += step)
        mean += std::max(0.0, 1 - ratio * std::exp(deviation * z)) * std::exp(-z * z / 2) * step;
      EXPECT_NEAR(expected_saving(ratio, deviation), mean / std::sqrt(2 * std::numbers::pi), 1e-6)
          << ratio;
    }
}

TEST(Rivals, AreThoseThatArePredictedToBeClose) {
  EXPECT_EQ(rivals(selection({20, 20.5, 21, 21.5}), for_n, memory), (Places{0, 1, 2}));
  EXPECT_EQ(rivals(selection({20, 29}), for_n, memory), (Places{0}));
  EXPECT_EQ(rivals(selection({20}), for_n, memory), (Places{0}));
  EXPECT_EQ(rivals(selection({20, 24.5}), for_n, memory), (Places{0}));
  EXPECT_EQ(rivals(selection({20, 24.5}), for_n, memory, true), (Places{0, 1}));
}

// A candidate that is predicted to take as long is expected to save 6 % of a product: within a
// thousand, 122 us of products of 2 us and 1,224 us of those of 20. Timing takes 130.
TEST(Rivals, AreNotTimedWhereThatIsNotPaidFor) {
  EXPECT_EQ(rivals(selection({2, 2}), for_n, memory), (Places{0}));
  Selection s = selection({20, 20, 20});
  s.candidates[1].setup_seconds = 1000e-6;
  EXPECT_EQ(rivals(s, for_n, memory), (Places{0, 1, 2}));
  s.candidates[1].setup_seconds = 1200e-6;
  EXPECT_EQ(rivals(s, for_n, memory), (Places{0, 2}));
}

TEST(Rivals, AreForBalancedPlansAlone) {
  const Selection s = selection({20, 20});
  EXPECT_EQ(rivals(s, for_n, memory).size(), 2u);
  for (const Effort effort : {Effort::instant, Effort::thorough})
    EXPECT_EQ(rivals(s, {.use = Op::none, .effort = effort}, memory).size(), 1u) << name(effort);
  EXPECT_EQ(rivals(s, {.use = Op::none, .vectors = 8}, memory).size(), 2u);
  EXPECT_EQ(rivals(s, {.use = Op::none, .deterministic = true}, memory).size(), 1u);
}

TEST(Rivals, MustBeUsableInTimeAndThereMustBeRoom) {
  Selection s = selection({20, 20, 20});
  s.in_time = 2;
  EXPECT_EQ(rivals(s, for_n, memory), (Places{0, 1}));
  s.in_time = 3;
  s.candidates[1].bytes = 124.5e6;  // of 125, with the first one's 1
  EXPECT_EQ(rivals(s, for_n, memory), (Places{0, 2}));
  // Two vectors of so many rows and columns, where one would do.
  s.candidates[1].bytes = 1e6;
  s.features.rows = s.features.cols = 4'000'000;
  s.features.value_bytes = 8;
  EXPECT_EQ(rivals(s, {.use = Op::none, .vectors = 1}, memory), (Places{0, 1, 2}));
  EXPECT_EQ(rivals(s, {.use = Op::none, .vectors = 2}, memory), (Places{0}));
  s.features.nnz = 0;
  EXPECT_EQ(rivals(s, for_n, memory), (Places{0}));
}

}  // namespace
}  // namespace nz
