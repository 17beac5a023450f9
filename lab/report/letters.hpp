#pragma once
#include <string_view>
#include <vector>

namespace nz::lab {

// A character of a text; exponents are smaller digits above the line, which few fonts have.
struct Letter {
  char32_t code = 0;
  bool raised = false;
};
inline constexpr double raised_size = 0.7, raised_by = 0.36;  // of the size of the text

// The characters of a text in UTF-8; what is none is left out.
// Accents that are characters of their own are one with the letter before them.
// Exponents are raised digits where that is asked for, otherwise what they are.
std::vector<Letter> letters(std::string_view text, bool raise = true);

}  // namespace nz::lab
