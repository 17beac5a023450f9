#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include <fnmatch.h>

namespace nz::lab {

// A name matches a pattern with * and ?, where * takes in the slashes of kernel names too.
inline bool matches(const std::string& text, const std::string& pattern) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

inline bool matches_any(const std::string& text, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& p) { return matches(text, p); });
}

}  // namespace nz::lab
