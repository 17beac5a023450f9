#pragma once
#include <cstdint>
#include <cstdlib>
#include <random>

namespace nz::test {

// New numbers on every run; NZ_TEST_SEED repeats one.
inline std::uint64_t seed() {
  static const std::uint64_t s = [] {
    const char* given = std::getenv("NZ_TEST_SEED");
    return given ? std::strtoull(given, nullptr, 10) : std::uint64_t{std::random_device{}()};
  }();
  return s;
}

}  // namespace nz::test
