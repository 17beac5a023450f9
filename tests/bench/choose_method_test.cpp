// Which solver is taken, and what is advised where it fails.
#include "lab/solve/choose_method.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace nz::test {
namespace {

lab::SystemTraits square{.square = true, .symmetric = false, .positive_diagonal = true};

std::string advice(solve::Stop reason, const char* method, const lab::SystemTraits& traits) {
  return lab::advice_after({.reason = reason, .iterations = 9, .history = std::vector(9, 1.0)},
                           method, false, traits);
}

TEST(ChooseMethod, AdvisesWhatTheMatrixAllows) {
  using enum solve::Stop;
  for (const solve::Stop reason : {iteration_limit, breakdown, diverged}) {
    const std::string any = advice(reason, "bicgstab", square);
    EXPECT_NE(any.find("--method gmres or --preconditioner jacobi"), any.npos) << any;
    // Jacobi divides by the diagonal.
    const std::string holes = advice(reason, "bicgstab", {.square = true});
    EXPECT_NE(holes.find("--method gmres"), holes.npos) << holes;
    EXPECT_EQ(holes.find("jacobi"), holes.npos) << holes;
    // Only LSQR takes what is not square.
    const std::string tall = advice(reason, "lsqr", {});
    EXPECT_EQ(tall.find("--method"), tall.npos) << tall;
    EXPECT_EQ(tall.find("jacobi"), tall.npos) << tall;
  }
}

}  // namespace
}  // namespace nz::test
