#include "lab/report/strip.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lab/report/runs.hpp"

namespace nz::lab {
namespace {

constexpr double row_height = 19, never_width = 34;

std::vector<double> finite(const StripRow& row) {
  std::vector<double> all;
  for (const StripMark& m : row.marks)
    if (std::isfinite(m.value)) all.push_back(m.value);
  return all;
}

void add_row(Drawing& d, const StripRow& row, const StripStyle& style, const Scale& x, double y) {
  for (const StripMark& m : row.marks)
    if (std::isfinite(m.value))
      d.dot({x(m.value), y}, m.strong ? 3.8 : 3,
            {.ink = row.ink, .tip = m.tip, .opacity = m.strong ? 1 : 0.5});
  std::vector<double> values = finite(row);
  const std::size_t never = row.marks.size() - values.size();
  double right = x.to() + 6;
  if (style.never) {
    if (never > 0) {
      std::string tip = row.label + ": never for";
      for (const StripMark& m : row.marks)
        if (!std::isfinite(m.value)) tip += '\n' + m.tip;
      d.dot({right + never_width / 2 - 12, y}, 3, {.ink = Ink::other, .tip = tip});
      d.text({right + never_width / 2 - 6, y + 3.3}, std::to_string(never),
             {.ink = Ink::soft, .size = small_type});
    }
    right += never_width;
  }
  // What never comes is the largest of all.
  values.resize(row.marks.size(), std::numeric_limits<double>::infinity());
  const double middle = median(values);
  if (!std::isfinite(middle)) {
    d.text({right, y + 3.3}, "never", {.ink = Ink::soft, .size = small_type});
    return;
  }
  d.line({x(middle), y - 6.5}, {x(middle), y + 6.5}, {.ink = Ink::text, .width = 1.6});
  d.text({right, y + 3.3}, style.label(middle), {.ink = Ink::text, .size = small_type});
}

}  // namespace

Drawing strip(const std::vector<StripRow>& rows, const StripStyle& style) {
  Drawing d(style.figure, 100);
  double top = add_title(d, style.title, style.about);
  if (!style.legend.empty()) top = add_legend(d, top, style.legend);
  double widest = 40;
  for (const StripRow& r : rows) widest = std::max(widest, text_width(r.label, small_type));
  widest = std::min(widest + 8, 180.0);
  const Area a{widest, top + 12, d.width() - 44 - (style.never ? never_width : 0),
               top + 12 + row_height * static_cast<double>(rows.size())};
  d.resize(a.bottom + 34);
  std::vector<double> all;
  if (style.reference) all = {*style.reference};
  for (const StripRow& r : rows)
    for (const double v : finite(r)) all.push_back(v);
  const Range range = log_range(all, 0.05);
  const Scale x = Scale::logarithmic(range.low, range.high, a.left + 2, a.right);
  add_x_axis(d, a, x, {.title = style.axis, .label = style.label});
  if (style.reference) {
    d.line({x(*style.reference), a.top - 3}, {x(*style.reference), a.bottom},
           {.ink = Ink::text, .dash = "2 2"});
    d.text({x(*style.reference), a.top - 6}, style.reference_text,
           {.ink = Ink::soft, .size = small_type, .anchor = Anchor::middle});
  }
  if (style.never)
    d.text({a.right + 6 + never_width / 2, a.top - 6}, "never",
           {.ink = Ink::soft, .size = small_type, .anchor = Anchor::end});
  d.text({a.right + 6 + (style.never ? never_width : 0), a.top - 6}, "median",
         {.ink = Ink::soft, .size = small_type});
  double y = a.top + row_height / 2;
  for (const StripRow& r : rows) {
    d.text({a.left - 6, y + 3.3}, fitted_name(r.label, small_type, a.left - 6),
           {.size = small_type, .anchor = Anchor::end});
    add_row(d, r, style, x, y);
    y += row_height;
  }
  return d;
}

}  // namespace nz::lab
