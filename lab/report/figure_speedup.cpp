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

// The slowest and the fastest have their names where there is room.
void label_ends(Drawing& d, const std::vector<Pair>& sorted, const std::vector<Point>& at,
                Labels& labels) {
  const std::size_t few = std::min<std::size_t>(6, sorted.size() / 3);
  const auto name = [&](std::size_t i, Labels::Side side) {
    const Result& r = *sorted[i].ours;
    labels.place(d, at[i], side, fmt::format("{} {} {}", r.matrix, r.type, r.op),
                 {.ink = Ink::soft, .size = small_type, .halo = true});
  };
  for (std::size_t i = 0; i < few; ++i)
    if (sorted[i].ratio() < 1) name(i, Labels::Side::right);
  for (std::size_t i = 0; i < few; ++i) name(sorted.size() - 1 - i, Labels::Side::left);
}

// Where the label of the mean lies on no dot, stem or line, upper left corner: beside its line
// where there is room, else anywhere, best at the left and above 1. The dots are sorted: the upper
// left and the lower right are mostly free.
Point mean_label_place(const Area& a, const std::vector<Point>& at, double one, double mean,
                       double width, double height) {
  Labels taken(a);
  for (const Point& p : at) {
    taken.occupy(p, 3.5);
    taken.occupy(p.x - 0.5, std::min(p.y, one), p.x + 0.5, std::max(p.y, one));
  }
  for (const double line : {one, mean}) taken.occupy(a.left, line - 1, a.right, line + 1);
  const double left = a.left + 4, right = a.right - width, above = mean - height - 2,
               below = mean + 3;
  std::vector<Point> corners{{left, above}, {right, below}, {left, below}, {right, above}};
  for (double y = one - height - 2; y >= a.top; y -= 2) corners.push_back({left, y});
  for (double y = one + 3; y <= a.bottom; y += 2) corners.push_back({right, y});
  return taken.first_free(corners, width, height).value_or(Point{left, a.top});
}

}  // namespace

Figure ratio_figure(const FigureStyle& style, std::vector<Pair> sorted, const RatioWords& words) {
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });
  const Summary s = summarise(sorted);
  Drawing d(style, 320);
  const double top = add_title(d, words.title, words.about);
  std::vector<double> ratios{1 / 1.2, 1.2};
  for (const Pair& p : sorted) ratios.push_back(p.ratio());
  const Range range = log_range(ratios, 0.08);
  const double below = add_legend(d, top,
                                  {{Ink::ours, words.who + " at least as fast, within 5 %"},
                                   {Ink::peer, words.who + " slower"}});
  const Area a{34, below + 6, d.width() - 4, d.height() - 34};
  const Scale y = Scale::logarithmic(range.low, range.high, a.bottom, a.top);
  const Scale x = Scale::linear(0.5, static_cast<double>(s.cases) + 0.5, a.left, a.right);
  add_y_axis(d, a, y, {.label = times_text});
  add_x_axis(d, a, x, {.title = words.axis, .grid = false, .whole = true});
  d.line({a.left, y(1)}, {a.right, y(1)}, {.ink = Ink::text, .width = 1});

  std::vector<Point> at;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    at.push_back({x(static_cast<double>(i) + 1), y(sorted[i].ratio())});
  for (std::size_t i = 0; i < sorted.size(); ++i)
    d.line({at[i].x, y(1)}, at[i],
           {.ink = sorted[i].lost() ? Ink::peer : Ink::ours, .width = 1, .opacity = 0.45});
  d.line({a.left, y(s.geomean)}, {a.right, y(s.geomean)},
         {.ink = Ink::ours, .width = 1.2, .dash = "4 3"});
  Labels labels(a);
  for (const Point& p : at) labels.occupy(p, 3.5);
  labels.occupy(a.left, y(1) - 1, a.right, y(1) + 1);
  const Type mean_type{.ink = Ink::ours, .bold = true, .halo = true};
  const std::string mean_text = fmt::format("geometric mean {:.2f}×", s.geomean);
  const double mean_width = 1.15 * text_width(mean_text, mean_type.size);  // bold is wider
  const double mean_height = mean_type.size + 2;
  const Point mean_at = mean_label_place(a, at, y(1), y(s.geomean), mean_width, mean_height);
  labels.occupy(mean_at.x, mean_at.y, mean_at.x + mean_width, mean_at.y + mean_height);
  label_ends(d, sorted, at, labels);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    d.dot(at[i], sorted.size() > 60 ? 2.6 : 3.4,
          {.ink = sorted[i].lost() ? Ink::peer : Ink::ours, .tip = tip(sorted[i])});
  d.text({mean_at.x, mean_at.y + 0.8 * mean_height}, mean_text, mean_type);
  return {.kind = words.kind,
          .variant = "",
          .label = words.label,
          .caption = words.caption,
          .drawing = std::move(d)};
}

FigureList speedup_figures(const Run& run) {
  const std::vector<Contest> all = contests(run);
  const std::vector<Pair> both = pairs(all);
  if (both.empty()) return {};
  const Summary s = summarise(both);
  FigureList figures;
  figures.push_back(ratio_figure(
      run.style, both,
      {.kind = "speedup",
       .title = "Speed-up over the best peer",
       .about = fmt::format("{} on {}, sorted",
                            plural(static_cast<std::int64_t>(s.cases), "product", "products"),
                            run.place),
       .axis = "products, from the slowest against the best peer",
       .who = "ours",
       .label = fmt::format("Sorted speed-ups over the best peer on {}: geometric mean {:.2f}, "
                            "{:.2f} at worst, {} of {} slower by more than 5 %",
                            run.place, s.geomean, s.worst.ratio(), s.lost, s.cases),
       .caption = fmt::format("How many times as fast {} is as the fastest peer for the same "
                              "matrix, type and op. Above 1 ours is faster.",
                              ours_text(all))}));
  return figures;
}

}  // namespace nz::lab
