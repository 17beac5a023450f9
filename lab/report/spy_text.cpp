#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "lab/report/spy.hpp"

namespace nz::lab {
namespace {

// The part of a picture that one character shows.
struct Glyph {
  int across;
  int down;
};
constexpr Glyph braille_dots{2, 4}, ascii_dots{1, 1};
// Characters are about twice as high as wide.
constexpr double character_aspect = 2;

// U+2800 + bits, in UTF-8; a plain space where there is no dot.
void append_braille(std::string& out, unsigned bits) {
  if (bits == 0) {
    out += ' ';
    return;
  }
  out += static_cast<char>(0xE2);
  out += static_cast<char>(0xA0 + (bits >> 6));
  out += static_cast<char>(0x80 + (bits & 0x3F));
}

// Black and white from ink, by error diffusion (Floyd and Steinberg 1976): the share of dots set
// around a place is the ink there. Where a cell is one place of the matrix, it is there or not.
std::vector<bool> dither(const DensityGrid& g, bool exact) {
  const auto width = static_cast<std::size_t>(g.width);
  std::vector<bool> dots;
  dots.reserve(g.density.size());
  std::vector<double> here(width + 2, 0), below(width + 2, 0);  // errors, a column to spare beside
  for (int y = 0; y < g.height; ++y) {
    for (int x = 0; x < g.width; ++x) {
      const double ink = g.ink(y, x), wanted = ink + here[static_cast<std::size_t>(x) + 1];
      const bool set = ink > 0 && (exact || wanted > 0.5);
      dots.push_back(set);
      // What is blank stays blank and passes nothing on.
      const double error = ink > 0 && !exact ? wanted - set : 0;
      double *right = &here[static_cast<std::size_t>(x) + 2],
             *under = &below[static_cast<std::size_t>(x)];
      right[0] += error * 7 / 16;
      under[0] += error * 3 / 16;
      under[1] += error * 5 / 16;
      under[2] += error * 1 / 16;
    }
    here.swap(below);
    std::fill(below.begin(), below.end(), 0);
  }
  return dots;
}

// Which bit of a braille character is the dot in line y, column x.
constexpr unsigned dot_bit[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};

void append_braille_cell(std::string& out, const DensityGrid& g, const std::vector<bool>& dots,
                         int line, int column) {
  unsigned bits = 0, darkest_bit = 0;
  double darkest = 0;
  for (int dy = 0; dy < 4; ++dy)
    for (int dx = 0; dx < 2; ++dx) {
      const int y = 4 * line + dy, x = 2 * column + dx;
      if (y >= g.height || x >= g.width) continue;
      const unsigned bit = 1u << dot_bit[dy][dx];
      if (dots[static_cast<std::size_t>(y) * static_cast<std::size_t>(g.width) +
               static_cast<std::size_t>(x)])
        bits |= bit;
      if (g.ink(y, x) > darkest) darkest = g.ink(y, x), darkest_bit = bit;
    }
  // A character stays blank only where nothing is.
  append_braille(out, bits == 0 ? darkest_bit : bits);
}

void append_ascii_cell(std::string& out, const DensityGrid& g, int y, int x) {
  constexpr std::string_view ramp = ".:-=+*#%@";
  const double ink = g.ink(y, x);
  const auto step = static_cast<std::size_t>(
      std::max(0.0, std::ceil(ink * static_cast<double>(ramp.size())) - 1));
  out += ink == 0 ? ' ' : ramp[std::min(step, ramp.size() - 1)];
}

struct Frame {
  std::string_view across, down, top_left, top_right, bottom_left, bottom_right;
};
constexpr Frame drawn{"─", "│", "┌", "┐", "└", "┘"}, typed{"-", "|", "+", "+", "+", "+"};

std::string repeat(std::string_view s, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += s;
  return all;
}

}  // namespace

std::string spy_text(const CsrView<double, std::int64_t>& a, int columns, int lines,
                     Glyphs glyphs) {
  const bool braille = glyphs == Glyphs::braille;
  const Glyph dots = braille ? braille_dots : ascii_dots;
  const int most_across = std::max(1, columns - 2), most_down = std::max(1, lines - 2);
  // The largest box of the matrix's shape, in characters, that fits; finer than the matrix is no
  // use, and the shape gives way where it would leave less than one character.
  const double rows = std::max(a.rows, 1), cols = std::max(a.cols, 1);
  const double finest = braille ? 0.5 : character_aspect;  // characters a column of the matrix
  const double scale = std::min({most_across / cols, most_down * character_aspect / rows, finest});
  const auto characters = [](double n, int most) {
    return std::clamp(static_cast<int>(std::ceil(n - 1e-9)), 1, most);
  };
  const int across = characters(cols * scale, most_across);
  const int down = characters(rows * scale / character_aspect, most_down);
  const DensityGrid g = density_grid(a, down * dots.down, across * dots.across);
  const bool exact = g.height == a.rows && g.width == a.cols;
  const std::vector<bool> dots_set = braille ? dither(g, exact) : std::vector<bool>{};

  const Frame& f = braille ? drawn : typed;
  std::string out;
  out.append(f.top_left).append(repeat(f.across, across)).append(f.top_right) += '\n';
  for (int line = 0; line < down; ++line) {
    out += f.down;
    for (int column = 0; column < across; ++column) {
      if (braille)
        append_braille_cell(out, g, dots_set, line, column);
      else if (!g.density.empty())
        append_ascii_cell(out, g, line * g.height / down, column * g.width / across);
      else
        out += ' ';
    }
    out.append(f.down) += '\n';
  }
  out.append(f.bottom_left).append(repeat(f.across, across)).append(f.bottom_right) += '\n';
  return out;
}

}  // namespace nz::lab
