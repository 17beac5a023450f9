#pragma once
#include <cstddef>
#include <string_view>

namespace nz {

// A text matches a pattern with * (any characters, slashes too) and ? (any one). When a part behind
// a star does not fit, only the last star takes one character more: those before it have found the
// earliest place already, and no later one could help. So at most text times pattern steps.
constexpr bool matches(std::string_view text, std::string_view pattern) {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t t = 0, p = 0, star = none, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != none) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace nz
