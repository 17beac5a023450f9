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
  EXPECT_EXIT(choose(nullptr), well, "^(portable|avx2|avx512-loads|avx512)$");
  EXPECT_EXIT(choose("portable"), well, "^portable$");
  EXPECT_EXIT(choose("nonsense"), well,
              "^NONZERO_ISA=nonsense: not portable, avx2, avx512-loads or avx512$");
  EXPECT_EXIT(choose(""), well, "^NONZERO_ISA=: not portable, avx2, avx512-loads or avx512$");
  for (const char* wish : {"avx2", "avx512-loads", "avx512"})
    EXPECT_EXIT(choose(wish), well,
                "^(" + std::string(wish) + "|NONZERO_ISA=" + wish + ": this processor lacks it)$");
}

}  // namespace
}  // namespace nz
