#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lab/papers/comparison.hpp"

namespace nz::lab {
namespace {

constexpr int cells = 20;  // of a gain of 100 %, and of a loss

// Losses to the left of an axis, gains to its right.
std::string bar(double gain) {
  const int length = std::clamp(static_cast<int>(std::lround(std::abs(gain) * cells)), 0, cells);
  std::string left(cells, ' '), right(cells, ' ');
  if (gain < 0)
    std::fill(left.end() - length, left.end(), '#');
  else
    std::fill(right.begin(), right.begin() + length, '#');
  if (gain > 1) right.back() = '>';
  return left + '|' + right;
}

}  // namespace

std::string bars_of(const Comparison& c) {
  const bool measured = std::any_of(c.lines.begin(), c.lines.end(), [](const auto& l) {
    return std::any_of(l.here.begin(), l.here.end(),
                       [](const auto& f) { return !std::isnan(f.second); });
  });
  if (!c.histogram || !measured) return "";
  std::size_t width = 0;
  for (const std::string& column : c.columns) width = std::max(width, column.size());
  std::string text;
  for (const Comparison::Line& l : c.lines) {
    text += l.label + '\n';
    for (const std::string& column : c.columns) {
      const auto add = [&](const std::string& name, const char* whose, double gain) {
        if (!std::isnan(gain))
          text += fmt::format("  {:{}} {:5} {} {}\n", name, width, whose, bar(gain),
                              figure_text(gain, Style::percent));
      };
      add(column, "here", figure(l.here, column));
      add("", "paper", figure(l.paper, column));
    }
  }
  return text;
}

}  // namespace nz::lab
