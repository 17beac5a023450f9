#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lab/report/scale.hpp"
#include "lab/report/svg.hpp"

// Axes and titles, the same in all figures.
namespace nz::lab {

inline constexpr double small_type = 9.5;

// Where the marks go.
struct Area {
  double left = 0, top = 0, right = 0, bottom = 0;
};

// Title in bold, what it is about beneath, unless figures have none; returns where the rest may
// begin.
double add_title(Drawing& d, std::string_view title, std::string_view about);

struct AxisStyle {
  std::string_view title{};
  std::string (*label)(double) = tick_text;  // or powers of ten, where an axis has these alone
  bool grid = true;
  bool whole = false;  // counts something: nothing stands between 1 and 2
};
// Below the area; the title under the labels, in the middle.
void add_x_axis(Drawing& d, const Area& a, const Scale& x, const AxisStyle& style);
// Left of the area; the title above it.
void add_y_axis(Drawing& d, const Area& a, const Scale& y, const AxisStyle& style);

// A line of marks with their names, from the left; returns where the next line may begin.
struct LegendEntry {
  Ink ink;
  std::string text;
  bool line = false;
};
double add_legend(Drawing& d, double top, const std::vector<LegendEntry>& entries);

// The text, cut with "…" where it would be wider: at its end, or in the middle where the end tells
// names apart.
std::string fitted_text(std::string_view text, double size, double width);
std::string fitted_name(std::string_view text, double size, double width);

// Labels that would overlap, moved apart along y and kept within [low, high]; in their order.
std::vector<double> spread_out(std::vector<double> wanted, double gap, double low, double high);

// Puts names beside marks where nothing else is yet, or leaves them out.
class Labels {
 public:
  explicit Labels(const Area& area) : area_(area) {}
  void occupy(double left, double top, double right, double bottom) {
    taken_.push_back({left, top, right, bottom});
  }
  void occupy(Point centre, double radius) {
    occupy(centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius);
  }
  // Right of the mark, below or above it; or left of it, above or below. False when there is no
  // room.
  enum class Side { right, left };
  bool place(Drawing& d, Point mark, Side side, std::string_view text, const Type& type);
  // The first of these places, upper left corners, where a text so wide and high lies on nothing.
  std::optional<Point> first_free(const std::vector<Point>& corners, double width,
                                  double height) const;

 private:
  bool free(const Area& box) const;
  Area area_;
  std::vector<Area> taken_;
};

}  // namespace nz::lab
