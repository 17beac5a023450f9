#include "lab/report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nz::lab {

double add_title(Drawing& d, std::string_view title, std::string_view about) {
  if (!d.titles()) return 4;
  constexpr double title_type = 13, bold = 1.08;
  d.text({0, 14}, fitted_text(title, bold * title_type, d.width()),
         {.size = title_type, .bold = true});
  if (about.empty()) return 24;
  d.text({0, 29}, fitted_text(about, small_type, d.width()),
         {.ink = Ink::soft, .size = small_type});
  return 40;
}

namespace {

// How a tick is written: as the axis says, or as a power of ten where nothing was said and all are.
std::string label_of(double v, const Scale& scale, const AxisStyle& style) {
  return style.label == tick_text && scale.has_powers_alone() ? power_text(v) : style.label(v);
}

}  // namespace

void add_x_axis(Drawing& d, const Area& a, const Scale& x, const AxisStyle& style) {
  double free_from = -1e9;  // labels that would overlap are left out
  for (const double v : x.ticks()) {
    if (style.whole && std::abs(v - std::round(v)) > 1e-6) continue;
    const double at = x(v);
    if (style.grid) d.line({at, a.top}, {at, a.bottom}, {.ink = Ink::grid});
    const std::string label = label_of(v, x, style);
    const double half = text_width(label, small_type) / 2;
    if (at - half < free_from) continue;
    d.text({at, a.bottom + 13}, label,
           {.ink = Ink::soft, .size = small_type, .anchor = Anchor::middle});
    free_from = at + half + 4;
  }
  d.line({a.left, a.bottom}, {a.right, a.bottom}, {.ink = Ink::axis});
  d.text({(a.left + a.right) / 2, a.bottom + 27}, style.title,
         {.ink = Ink::soft, .size = small_type, .anchor = Anchor::middle});
}

void add_y_axis(Drawing& d, const Area& a, const Scale& y, const AxisStyle& style) {
  for (const double v : y.ticks()) {
    const double at = y(v);
    if (style.grid) d.line({a.left, at}, {a.right, at}, {.ink = Ink::grid});
    d.text({a.left - 5, at + 3.3}, label_of(v, y, style),
           {.ink = Ink::soft, .size = small_type, .anchor = Anchor::end});
  }
  d.text({0, a.top - 8}, style.title, {.ink = Ink::soft, .size = small_type});
}

double add_legend(Drawing& d, double top, const std::vector<LegendEntry>& entries) {
  double x = 0, y = top + 8;
  for (const LegendEntry& e : entries) {
    const double width = 12 + text_width(e.text, small_type) + 12;
    if (x > 0 && x + width > d.width()) x = 0, y += 14;
    if (e.line)
      d.line({x, y - 3}, {x + 9, y - 3}, {.ink = e.ink, .width = 2});
    else
      d.dot({x + 4, y - 3}, 3.5, {.ink = e.ink});
    d.text({x + 12, y}, e.text, {.ink = Ink::soft, .size = small_type});
    x += width;
  }
  return y + 8;
}

std::string fitted_text(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  std::string s(text);
  while (!s.empty() && text_width(s, size) + 0.8 * size > width) {
    // A character may be several bytes.
    while (!s.empty() && (static_cast<unsigned char>(s.back()) & 0xC0) == 0x80) s.pop_back();
    if (!s.empty()) s.pop_back();
  }
  return s + "…";
}

std::vector<double> spread_out(std::vector<double> wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  double free_from = low;
  for (const std::size_t i : order) {
    wanted[i] = std::max(wanted[i], free_from);
    free_from = wanted[i] + gap;
  }
  // What was pushed out at the end is pushed back.
  double free_to = high;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    wanted[*i] = std::min(wanted[*i], free_to);
    free_to = wanted[*i] - gap;
  }
  return wanted;
}

bool Labels::free(const Area& b) const {
  if (b.left < area_.left || b.right > area_.right || b.top < area_.top || b.bottom > area_.bottom)
    return false;
  return std::none_of(taken_.begin(), taken_.end(), [&](const Area& t) {
    return b.left < t.right && t.left < b.right && b.top < t.bottom && t.top < b.bottom;
  });
}

bool Labels::place(Drawing& d, Point mark, Side side, std::string_view text, const Type& type) {
  constexpr double gap = 6;
  const double width = text_width(text, type.size), height = type.size;
  const bool right = side == Side::right;
  for (const Point t :
       {Point{right ? mark.x + gap : mark.x - gap - width, mark.y - height / 2},
        Point{right ? mark.x + gap : mark.x - gap - width,
              right ? mark.y + 1 : mark.y - height - 1},
        Point{right ? mark.x : mark.x - width, right ? mark.y + gap : mark.y - gap - height},
        Point{right ? mark.x : mark.x - width, right ? mark.y - gap - height : mark.y + gap}}) {
    const Area area{t.x, t.y, t.x + width, t.y + height};
    if (!free(area)) continue;
    taken_.push_back(area);
    Type start = type;
    start.anchor = Anchor::start;
    d.text({t.x, t.y + 0.82 * height}, text, start);
    return true;
  }
  return false;
}

std::optional<Point> Labels::first_free(const std::vector<Point>& corners, double width,
                                        double height) const {
  for (const Point p : corners)
    if (free({p.x, p.y, p.x + width, p.y + height})) return p;
  return {};
}

std::string fitted_name(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  // A third of the room for the end, which begins where a character does.
  std::size_t end = text.size();
  while (end > 0 && text_width(text.substr(end - 1), size) < width / 3) --end;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  const std::string_view tail = text.substr(end);
  return fitted_text(text, size, width - text_width(tail, size)) + std::string(tail);
}

}  // namespace nz::lab
