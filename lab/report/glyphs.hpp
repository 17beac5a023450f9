#pragma once
#include <string_view>
#include <vector>

#include "lab/report/svg.hpp"

// Letters as shapes, so that what is printed needs no font.
namespace nz::lab {

// Of size 1, y downward from the line it stands on.
struct Glyph {
  // M begins an outline, L is a line and Q a curve by one point to another; Z closes it.
  struct Step {
    char kind = 'Z';
    Point by{}, to{};
  };
  double advance = 0;
  std::vector<Step> steps{};
};

// The letter, of Latin ones those of Latin-1 and Latin Extended-A; a question mark for one that is
// not there.
const Glyph& glyph(char32_t code);

// A letter of a text, where it is drawn, and how large.
struct PlacedGlyph {
  char32_t code = 0;
  const Glyph* glyph = nullptr;
  Point at{};
  double size = 0;
};
std::vector<PlacedGlyph> placed_glyphs(std::string_view text, Point at, double size, Anchor anchor);

}  // namespace nz::lab
