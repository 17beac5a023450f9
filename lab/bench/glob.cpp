#include "lab/bench/glob.hpp"

#include <algorithm>

#include <nonzero/registry.hpp>

#include "base/glob.hpp"

namespace nz::lab {

bool matches(const std::string& text, const std::string& pattern) {
  return nz::matches(text, pattern);
}

bool matches_any(const std::string& text, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& p) { return matches(text, p); });
}

bool names_any(const std::string& kernel, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& p) { return id_matches(kernel, p); });
}

}  // namespace nz::lab
