#pragma once
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/nonzero.h>

namespace nz::test {

// The emulator and the first GPU, as far as they are here. Without the GPU the test fails where
// NZ_REQUIRE_GPU is set: it would else pass having run on the emulator alone, or on nothing.
inline std::vector<const char*> devices_here() {
  std::vector<const char*> all;
  for (const char* name : {"emu", "cuda:0"})
    if (nz_device_check(name) == NZ_OK) all.push_back(name);
  if (std::getenv("NZ_REQUIRE_GPU") && nz_device_check("cuda:0") != NZ_OK)
    ADD_FAILURE() << "NZ_REQUIRE_GPU is set, but " << nz_last_error();
  return all;
}

}  // namespace nz::test

// Ends a test where there is none.
#define NZ_NEEDS_A_DEVICE() \
  if (nz::test::devices_here().empty()) GTEST_SKIP() << "neither the emulator nor a GPU is here"
