#include "c/c99.h"

#include <cstddef>

#include <gtest/gtest.h>
#include <nonzero/nonzero.h>

namespace {

TEST(C99, UsesTheHeaderAsItIs) { EXPECT_EQ(c99_round_trip(), 0) << nz_last_error(); }

TEST(C99, HasComplexNumbers) { EXPECT_EQ(c99_complex(), 0) << nz_last_error(); }

TEST(C99, SeesTheSameStructs) {
  const std::size_t here[] = {sizeof(nz_plan_options),  offsetof(nz_plan_options, layout),
                              sizeof(nz_solve_options), offsetof(nz_solve_options, stream),
                              sizeof(nz_solve_result),  offsetof(nz_solve_result, message),
                              sizeof(nz_walk_options),  offsetof(nz_walk_options, stream),
                              sizeof(nz_eigen_options), offsetof(nz_eigen_options, stream)};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(c99_layout(i), here[i]) << i;
}

}  // namespace
