#include "base/glob.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace nz {
namespace {

TEST(Glob, StarsAndQuestionMarks) {
  struct Case {
    const char* text;
    const char* pattern;
    bool expected;
  };
  for (const Case& c : {
           Case{"", "", true},
           Case{"", "*", true},
           Case{"", "?", false},
           Case{"a", "", false},
           Case{"a", "?", true},
           Case{"ab", "?", false},
           Case{"cpu/csr/serial", "cpu/*", true},
           Case{"cpu/csr/serial", "*/serial", true},
           Case{"cpu/csr/serial", "cpu/*/serial*", true},
           Case{"cpu/csr/serial", "gpu/*", false},
           Case{"cpu/csr/serial", "cpu/csr", false},
           Case{"abcabd", "*abd", true},
           Case{"abcabd", "*abc", false},
           Case{"aab", "*a?", true},
           Case{"a*b", "a\\*b", false},
           Case{"[a]", "[a]", true},
       })
    EXPECT_EQ(matches(c.text, c.pattern), c.expected) << c.text << " | " << c.pattern;
}

// The definition, which takes exponential time.
bool defined_match(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return defined_match(text, pattern.substr(1)) ||
           (!text.empty() && defined_match(text.substr(1), pattern));
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         defined_match(text.substr(1), pattern.substr(1));
}

TEST(Glob, IsWhatTheDefinitionSays) {
  std::mt19937 random(19);
  const auto draw = [&](std::string_view letters, std::size_t most) {
    std::string s(random() % (most + 1), ' ');
    for (char& c : s) c = letters[random() % letters.size()];
    return s;
  };
  int matched = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = draw("ab", 8), pattern = draw("ab*?", 7);
    const bool expected = defined_match(text, pattern);
    ASSERT_EQ(matches(text, pattern), expected) << text << " | " << pattern;
    matched += expected;
  }
  EXPECT_GT(matched, 2000);
  EXPECT_LT(matched, 18000);
}

// Would not end if every star tried every place.
TEST(Glob, ManyStarsAreNoWork) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  const std::string text(2000, 'a');
  EXPECT_TRUE(matches(text, pattern));
  EXPECT_FALSE(matches(text, pattern + "b"));
}

}  // namespace
}  // namespace nz
