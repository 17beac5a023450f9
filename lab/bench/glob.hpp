#pragma once
#include <string>
#include <vector>

namespace nz::lab {

// A name matches a pattern with * and ?, where * takes in the slashes of kernel names too.
bool matches(const std::string& text, const std::string& pattern);
bool matches_any(const std::string& text, const std::vector<std::string>& patterns);
// The same for a kernel's id, which patterns may know as it was.
bool names_any(const std::string& kernel, const std::vector<std::string>& patterns);

}  // namespace nz::lab
