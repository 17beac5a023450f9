#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "lab/report/figures.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/standings.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }
std::string times(double factor) { return tick_text(factor) + "×"; }

// The steps of a kernel: the share of matrices over the factor from the best time.
std::vector<Point> steps(const Standing& s, const Standings& all, const Scale& x, const Scale& y) {
  std::vector<double> factors;
  for (std::size_t i = 0; i < all.best.size(); ++i)
    if (s.results[i]) factors.push_back(*s.results[i]->median_s / all.best[i]);
  std::sort(factors.begin(), factors.end());
  const auto n = static_cast<double>(all.best.size());
  std::vector<Point> points{{x(1), y(0)}};
  double share = 0;
  for (const double f : factors) {
    if (f > x.high()) break;
    points.push_back({x(f), y(share)});
    share += 1 / n;
    points.push_back({x(f), y(share)});
  }
  points.push_back({x.to(), y(share)});
  return points;
}

std::string tip(const Standing& s, const Standings& all) {
  const auto timed = std::count_if(s.results.begin(), s.results.end(), [](auto* r) { return r; });
  return fmt::format(
      "{}\nthe fastest on {} of the matrices\nwithin 1.1 × on {}, within 2 × on "
      "{}\na time on {} of {}",
      s.kernel, percent(s.within(1, all.best)), percent(s.within(1.1, all.best)),
      percent(s.within(2, all.best)), timed, all.matrices.size());
}

// How the most important lines look: ours in cool inks, peers in warm ones, each once.
struct Looks {
  std::vector<Ink> ours{Ink::ours, Ink::cyan, Ink::green}, peers{Ink::peer, Ink::gold, Ink::purple};
  std::size_t next_ours = 0, next_peer = 0;

  std::optional<Pen> next(const Standing& s) {
    if (s.kernel == "plan") return Pen{.ink = Ink::text, .width = 2.6};
    auto& at = s.peer ? next_peer : next_ours;
    const auto& inks = s.peer ? peers : ours;
    if (at >= inks.size()) return {};
    return Pen{.ink = inks[at++], .width = 1.8, .dash = s.peer ? "5 2" : ""};
  }
};

std::optional<Figure> profile(const Run& run, const Variant& v) {
  const Standings all = standings(run, v);
  const auto lines = leaders(all, all.kernels.size());
  if (all.matrices.size() < 2 || lines.size() < 2) return {};
  double widest = 1.5;
  for (const Standing* s : leaders(all, 7))
    for (std::size_t i = 0; i < all.best.size(); ++i)
      if (s->results[i]) widest = std::max(widest, *s->results[i]->median_s / all.best[i]);
  Drawing d(run.style, 300);
  const double top = add_title(
      d, "Performance profile",
      fmt::format("{} on {}, {}", v.text(), run.place,
                  plural(static_cast<std::int64_t>(all.matrices.size()), "matrix", "matrices")));
  struct Line {
    const Standing* standing;
    Pen pen;
  };
  std::vector<Line> shown;
  std::vector<const Standing*> others;
  Looks looks;
  for (const Standing* s : lines)
    if (const auto pen = looks.next(*s))
      shown.push_back({s, *pen});
    else
      others.push_back(s);
  // The names stand at the right: as much room as they need, but not half of the figure.
  double names = 134;
  for (const Line& line : shown)
    names = std::clamp(text_width(short_name(line.standing->kernel), 9), names,
                       std::max(names, std::min(180.0, d.width() / 2)));
  const Area a{34, top + 18, d.width() - names - 6, d.height() - 34};
  const Scale x = Scale::logarithmic(1, std::clamp(widest, 1.5, 10.0), a.left, a.right);
  const Scale y = Scale::linear(0, 1, a.bottom, a.top);
  add_y_axis(d, a, y, {.title = "share of matrices", .label = percent});
  add_x_axis(d, a, x, {.title = "time at most so many times the best", .label = times});

  for (const Standing* s : others)
    d.path(steps(*s, all, x, y), {.ink = Ink::other, .width = 0.8, .opacity = 0.5}, tip(*s, all));
  std::vector<double> ends;
  for (auto line = shown.rbegin(); line != shown.rend(); ++line)
    d.path(steps(*line->standing, all, x, y), line->pen, tip(*line->standing, all));
  for (const Line& line : shown) ends.push_back(steps(*line.standing, all, x, y).back().y + 3);
  const std::vector<double> places = spread_out(ends, 12, a.top + 3, a.bottom);
  for (std::size_t i = 0; i < shown.size(); ++i)
    d.text({a.right + 6, places[i]}, fitted_name(short_name(shown[i].standing->kernel), 9, names),
           {.ink = shown[i].pen.ink, .size = 9, .bold = shown[i].standing->kernel == "plan"});
  const std::size_t partly = all.kernels.size() - lines.size();
  return Figure{
      .kind = "profile",
      .variant = v.text(),
      .label = fmt::format("Performance profile of {} kernels, {} on {}", lines.size(), v.text(),
                           run.place),
      .caption = fmt::format(
          "Dolan and Moré's profile: the share of the matrices on which a kernel takes at most "
          "that "
          "many times the best time of all. Higher is better; where a line begins is how often the "
          "kernel is the fastest. A matrix that a kernel refuses counts against it. Grey: other "
          "kernels.{}",
          partly > 0
              ? fmt::format(" {} not tried on every matrix and left out.",
                            plural(static_cast<std::int64_t>(partly), "kernel was", "kernels were"))
              : ""),
      .drawing = std::move(d)};
}

}  // namespace

FigureList profile_figures(const Run& run) {
  FigureList figures;
  if (run.study) return figures;
  for (const Variant& v : variants(run))
    if (auto f = profile(run, v)) figures.push_back(std::move(*f));
  return figures;
}

}  // namespace nz::lab
