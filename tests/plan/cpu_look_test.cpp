#include <gtest/gtest.h>

#include <nonzero/nonzero.hpp>

#include "plan/features.hpp"

namespace nz {
namespace {

// Rows that differ leave places of slices empty: up to three a nonzero are worth a prediction.
TEST(CpuLook, SeesSlicesWithEmptyPlaces) {
  const auto packed = [](const char* spec) {
    const auto a = generate(spec).matrix;
    return look_at(a.view(), cpu_device, 2, false).packed_bytes;
  };
  EXPECT_GT(packed("profile:rows=30000,cols=30000,nnz=240000,min=1,max=60,shape=2"), 0);
  EXPECT_EQ(packed("profile:rows=30000,cols=30000,nnz=240000,min=1,max=8000,shape=3"), 0);
}

}  // namespace
}  // namespace nz
