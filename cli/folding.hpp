#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace nz::cli {

// The text with no line wider than `width`: what is too long goes on below, under the column that
// it stands in, together with what already did. A word that fits no line is broken behind a comma,
// or stays. Colours take no room. `hang` is how far lines are set in that stand in no column.
std::string folded(std::string_view text, std::size_t width, std::size_t hang = 0);

}  // namespace nz::cli
