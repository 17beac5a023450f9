#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lab/report/figures.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

std::string times_text(double v) { return tick_text(v) + "×"; }

std::string tip(const Pair& p) {
  return fmt::format("{}\n{:.2f} times as fast\n{}\n{}", case_text(*p.ours), p.ratio(),
                     time_text(*p.ours), time_text(*p.theirs));
}

// The names of the slowest on the right of their dots, those of the fastest on the left: the two
// sides where a rising curve leaves room.
void label_ends(Drawing& d, const std::vector<Pair>& sorted, const Area& a,
                const std::vector<Point>& at) {
  const auto place = [&](std::size_t i, double y, bool right) {
    const Result& r = *sorted[i].ours;
    const double gap = right ? 8 : -8;
    d.line({at[i].x + gap / 2, at[i].y}, {at[i].x + gap, y - 3}, {.ink = Ink::axis, .width = 0.7});
    d.text({at[i].x + gap * 1.2, y}, fmt::format("{} {} {}", r.matrix, r.type, r.op),
           {.ink = Ink::soft,
            .size = small_type,
            .anchor = right ? Anchor::start : Anchor::end,
            .halo = true});
  };
  const std::size_t few = std::min<std::size_t>(5, sorted.size() / 3);
  std::vector<double> low, high;
  for (std::size_t i = 0; i < few; ++i) {
    low.push_back(at[i].y + 4);
    high.push_back(at[sorted.size() - 1 - i].y + 3);
  }
  // The lowest dot has the lowest label.
  std::vector<double> y = spread_out(low, 11, a.top, a.bottom - 2);
  for (std::size_t i = 0; i < few; ++i)
    if (sorted[i].ratio() < 1) place(i, y[i], true);
  y = spread_out(high, 11, a.top + 6, a.bottom);
  for (std::size_t i = 0; i < std::min<std::size_t>(3, few); ++i)
    place(sorted.size() - 1 - i, y[i], false);
}

}  // namespace

Figures speedup_figures(const Run& run) {
  const std::vector<Contest> all = contests(run);
  std::vector<Pair> sorted = pairs(all);
  if (sorted.empty()) return {};
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });
  const Summary s = summarise(sorted);
  Drawing d(figure_width, 320);
  const double top = add_title(
      d, "Speed-up over the best peer",
      fmt::format("{} on {}, sorted",
                  plural(static_cast<std::int64_t>(s.cases), "product", "products"), run.place));
  std::vector<double> ratios{1 / 1.2, 1.2};
  for (const Pair& p : sorted) ratios.push_back(p.ratio());
  const Range range = log_range(ratios, 0.08);
  const double below = add_legend(
      d, top, {{Ink::ours, "ours at least as fast, within 5 %"}, {Ink::peer, "ours slower"}});
  const Area a{34, below + 6, d.width() - 4, d.height() - 34};
  const Scale y = Scale::logarithmic(range.low, range.high, a.bottom, a.top);
  const Scale x = Scale::linear(0.5, static_cast<double>(s.cases) + 0.5, a.left, a.right);
  add_y_axis(d, a, y, {.label = times_text});
  add_x_axis(d, a, x, {.title = "products, from the slowest against the best peer", .grid = false});
  d.line({a.left, y(1)}, {a.right, y(1)}, {.ink = Ink::text, .width = 1});

  std::vector<Point> at;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    at.push_back({x(static_cast<double>(i) + 1), y(sorted[i].ratio())});
  for (std::size_t i = 0; i < sorted.size(); ++i)
    d.line({at[i].x, y(1)}, at[i],
           {.ink = sorted[i].lost() ? Ink::peer : Ink::ours, .width = 1, .opacity = 0.45});
  d.line({a.left, y(s.geomean)}, {a.right, y(s.geomean)},
         {.ink = Ink::ours, .width = 1.2, .dash = "4 3"});
  label_ends(d, sorted, a, at);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    d.dot(at[i], sorted.size() > 60 ? 2.6 : 3.4,
          {.ink = sorted[i].lost() ? Ink::peer : Ink::ours, .tip = tip(sorted[i])});
  const bool under = std::abs(y(s.geomean) - a.top) < 24;
  d.text({a.left + 4, y(s.geomean) + (under ? 12 : -5)},
         fmt::format("geometric mean {:.2f}×", s.geomean),
         {.ink = Ink::ours, .bold = true, .halo = true});
  Figures figures;
  figures.push_back(
      {.kind = "speedup",
       .variant = "",
       .label = fmt::format("Sorted speed-ups over the best peer on {}: geometric mean {:.2f}, "
                            "{:.2f} at worst, {} of {} slower by more than 5 %",
                            run.place, s.geomean, s.worst.ratio(), s.lost, s.cases),
       .caption = fmt::format("How many times as fast {} is as the fastest peer for the same "
                              "matrix, type and op. Above 1 ours is faster.",
                              ours_text(all)),
       .drawing = std::move(d)});
  return figures;
}

}  // namespace nz::lab
