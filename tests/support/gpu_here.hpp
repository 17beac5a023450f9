#pragma once
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/device.hpp>

namespace nz::test {

// Whether CUDA has a device. Where it has none and NZ_REQUIRE_GPU is set the test fails: it would
// else pass on what is left.
inline bool gpu_here() {
  const std::string why = why_no_cuda();
  if (!why.empty() && std::getenv("NZ_REQUIRE_GPU"))
    ADD_FAILURE() << "NZ_REQUIRE_GPU is set, but " << why;
  return why.empty();
}

}  // namespace nz::test
