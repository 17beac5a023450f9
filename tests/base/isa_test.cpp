#include "base/isa.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

namespace nz {
namespace {

// It is chosen once a process, so each wish gets one of its own: the death tests' second style
// starts this program anew. Its exit is an orderly one.
[[noreturn]] void choose(const char* wish) {
  if (wish)
    ::setenv("NONZERO_ISA", wish, 1);
  else
    ::unsetenv("NONZERO_ISA");
  try {
    std::fputs(std::string(name(isa())).c_str(), stderr);
  } catch (const InvalidArgument& e) {
    std::fputs(e.what(), stderr);
  }
  std::exit(0);
}

class IsaDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(IsaDeathTest, TheEnvironmentMayChoose) {
  const auto well = ::testing::ExitedWithCode(0);
  EXPECT_EXIT(choose(nullptr), well, "^(portable|avx2|avx512-loads|avx512|neon|sve)$");
  EXPECT_EXIT(choose("portable"), well, "^portable$");
  const std::string names = "not portable, avx2, avx512-loads, avx512, neon or sve$";
  EXPECT_EXIT(choose("nonsense"), well, "^NONZERO_ISA=nonsense: " + names);
  EXPECT_EXIT(choose(""), well, "^NONZERO_ISA=: " + names);
  for (const char* wish : {"avx2", "avx512-loads", "avx512", "neon", "sve"})
    EXPECT_EXIT(choose(wish), well,
                "^(" + std::string(wish) + "|NONZERO_ISA=" + wish + ": this processor lacks it)$");
}

// Other processors are named for what they must not take.
TEST_F(IsaDeathTest, BelongsToTheProcessor) {
  const auto well = ::testing::ExitedWithCode(0);
#if defined(__x86_64__)
  EXPECT_EXIT(choose("neon"), well, "^NONZERO_ISA=neon: this processor lacks it$");
  EXPECT_EXIT(choose("sve"), well, "^NONZERO_ISA=sve: this processor lacks it$");
#elif defined(__aarch64__)
  EXPECT_EXIT(choose("neon"), well, "^neon$");
  EXPECT_EXIT(choose("avx2"), well, "^NONZERO_ISA=avx2: this processor lacks it$");
#endif
}

// scripts/test-arm.sh says which it must be on the processor that it shows.
TEST(Isa, IsTheExpected) {
  const char* expected = std::getenv("NZ_TEST_ISA");
  if (!expected) GTEST_SKIP() << "NZ_TEST_ISA does not say";
  EXPECT_EQ(name(isa()), expected);
}

}  // namespace
}  // namespace nz
