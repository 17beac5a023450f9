#pragma once
#include <span>
#include <string>
#include <string_view>

namespace nz {

// The (up to) three candidates with the smallest edit distance to `wanted`, nearest first, joined
// with commas: what an error message offers when a name is unknown.
std::string nearest(std::string_view wanted, std::span<const std::string> candidates);

}  // namespace nz
