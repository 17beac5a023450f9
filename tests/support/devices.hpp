#pragma once
#include <algorithm>

#include <nonzero/device.hpp>

namespace nz::test {

// Whether this build has the emulator.
inline bool has_emulator() {
  const auto all = devices();
  return std::any_of(all.begin(), all.end(),
                     [](const DeviceInfo& d) { return d.device == emulator_device; });
}

}  // namespace nz::test

// Ends a test that needs the emulator where there is none.
#define NZ_NEEDS_EMULATOR() \
  if (!nz::test::has_emulator()) GTEST_SKIP() << "this build has no emulator"
