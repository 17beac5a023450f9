#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace nz::lab {

// The two matrices of the demonstration: one that suits every format, one that most decline.
struct Exhibit {
  std::string label;    // "grid"
  std::string source;   // "gen:grid:..."
  std::string meaning;  // one line for people
};

// Sized so that each matrix is larger than the last-level cache where that stays bearable; `small`
// ones take no time at all.
std::vector<Exhibit> exhibits(std::size_t cache_bytes, bool small);

}  // namespace nz::lab
