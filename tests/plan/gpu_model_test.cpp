#include <cstdint>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>
#include <nonzero/registry.hpp>

#include "plan/models.hpp"
#include "plan/tuning/h200.hpp"

// What the model of GPU kernels says of matrices that differ in one thing.
namespace nz {
namespace {

const DeviceInfo h200{.description = "NVIDIA H200",
                      .processors = 132,
                      .cache_bytes = 62'914'560,
                      .shared_bytes = 232'448};

// What the model has of a kernel; nothing where it does not suggest it.
std::optional<Candidate> suggested(std::string_view kernel, const Features& f) {
  for (Candidate& c : gpu_candidates(f, h200, h200_tuning))
    if (c.kernel->id() == kernel) return c;
  return std::nullopt;
}

// Preparing picks takes longer the more lines of x they touch.
TEST(Models, PicksThatAreFarApartTakeLongToPrepare) {
  if (match_kernels("gpu/packed/slices").empty()) GTEST_SKIP() << "no GPU kernels";
  Features f{.rows = 1'280'000,
             .cols = 1'280'000,
             .nnz = 12'800'000,
             .value_bytes = 8,
             .offset_bytes = 4,
             .entries = 10'000,
             .row_length = 10,
             .narrow_value_bytes = 8,
             .longest_row = 12,
             .slice_bytes = 10,
             .slice_picks = 40};
  f.lines = 0.01;
  const auto near = suggested("gpu/packed/slices", f);
  f.lines = 0.91;
  const auto far = suggested("gpu/packed/slices", f);
  ASSERT_TRUE(near && far);
  EXPECT_NEAR(far->setup_seconds - near->setup_seconds, 0.9 * 12.8e6 * 350e-12, 1e-9);
}

}  // namespace
}  // namespace nz
