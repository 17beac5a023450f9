#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lab/report/plot.hpp"

namespace nz::lab {

// Values of many cases side by side: a row a group, a dot a case, the median marked, on a
// logarithmic scale.
struct StripMark {
  double value = 0;  // above 0; infinite: it never comes
  std::string tip{};
  bool strong = false;
};
struct StripRow {
  std::string label;
  Ink ink = Ink::ours;
  std::vector<StripMark> marks{};
};
struct StripStyle {
  std::string title, about, axis;
  std::string (*label)(double) = tick_text;  // of the axis and of the medians
  std::optional<double> reference{};         // a line across
  std::string reference_text{};
  bool never = false;  // room on the right for what never comes
  std::vector<LegendEntry> legend{};
  FigureStyle figure{};
};
Drawing strip(const std::vector<StripRow>& rows, const StripStyle& style);

}  // namespace nz::lab
