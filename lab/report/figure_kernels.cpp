#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "lab/bench/glob.hpp"
#include "lab/report/figures.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

constexpr std::size_t most_rows = 40, most_matrices = 2;

// The best time of each kernel on a matrix, the fastest first.
std::vector<const Result*> best_of_each(const Run& run, const Variant& v,
                                        const std::string& matrix) {
  std::map<std::string, const Result*> best;
  for (const Result& r : run.record.results) {
    if (!v.has(r) || r.matrix != matrix || !r.timed() || !r.gflops) continue;
    if (party(run.sides, r.kernel) == Party::none) continue;
    const Result*& b = best[r.kernel];
    if (!b || *r.median_s < *b->median_s) b = &r;
  }
  std::vector<const Result*> all;
  for (const auto& [kernel, r] : best) all.push_back(r);
  std::stable_sort(all.begin(), all.end(),
                   [](const Result* a, const Result* b) { return *a->median_s < *b->median_s; });
  return all;
}

Figure bars(const Run& run, const Variant& v, std::vector<const Result*> all) {
  constexpr double row = 14, bar = 9;
  const std::size_t found = all.size();
  if (all.size() > most_rows) all.resize(most_rows);
  const std::string& matrix = all.front()->matrix;
  Drawing d(run.style, 100);
  double top =
      add_title(d, "Every kernel on " + matrix, fmt::format("{} on {}", v.text(), run.place));
  const auto peer = [&](const Result& r) { return party(run.sides, r.kernel) == Party::peer; };
  const auto planned = [](const Result& r) { return r.planned.value_or(false); };
  const auto any = [&](auto&& is) {
    return std::any_of(all.begin(), all.end(), [&](const Result* r) { return is(*r); });
  };
  std::vector<LegendEntry> legend;
  if (any(planned)) legend.push_back({Ink::ours, "what a plan takes"});
  if (any([&](const Result& r) { return !peer(r) && !planned(r); }))
    legend.push_back({Ink::cyan, any(planned) ? "our other kernels" : "our kernels"});
  if (any(peer)) legend.push_back({Ink::peer, "peers"});
  top = add_legend(d, top, legend);
  double widest = 40;
  for (const Result* r : all)
    widest = std::max(widest, text_width(short_name(r->kernel), small_type));
  widest = std::min(widest + 8, 0.45 * d.width());
  const Area a{widest, top + 4, d.width() - 44, top + 6 + row * static_cast<double>(all.size())};
  d.resize(a.bottom + 34);
  const Scale x = Scale::linear(0, 1.02 * *all.front()->gflops, a.left, a.right);
  add_x_axis(d, a, x, {.title = "GFLOP/s"});
  double y = a.top;
  for (const Result* r : all) {
    d.text({a.left - 5, y + row / 2 + 3.3},
           fitted_name(short_name(r->kernel), small_type, a.left - 6),
           {.size = small_type, .anchor = Anchor::end, .bold = planned(*r)});
    d.box({a.left, y + (row - bar) / 2}, x(*r->gflops) - a.left, bar,
          {.ink = peer(*r)      ? Ink::peer
                  : planned(*r) ? Ink::ours
                                : Ink::cyan,
           .tip = fmt::format("{}\n{}\n{:.2f} GFLOP/s", case_text(*r), time_text(*r), *r->gflops)});
    d.text({x(*r->gflops) + 4, y + row / 2 + 3}, time_of(*r->median_s),
           {.ink = Ink::soft, .size = 8.5, .halo = true});
    y += row;
  }
  return {
      .kind = "kernels",
      .variant = v.text(),
      .label = fmt::format("The speed of {} on {}, {} on {}",
                           plural(static_cast<std::int64_t>(found), "kernel", "kernels"), matrix,
                           v.text(), run.place),
      .caption = fmt::format(
          "The fastest first; the time of one product stands behind each "
          "bar.{}",
          found > most_rows ? fmt::format(" {} slower ones are left out.", found - most_rows) : ""),
      .drawing = std::move(d),
      .name = matrix};
}

}  // namespace

FigureList kernels_figures(const Run& run) {
  FigureList figures;
  if (run.study) return figures;
  const auto all = matrices(run);
  if (run.close_ups.empty() && all.size() > most_matrices) return figures;
  for (const Result* m : all) {
    if (!run.close_ups.empty() && !matches_any(m->matrix, run.close_ups)) continue;
    for (const Variant& v : variants(run)) {
      auto best = best_of_each(run, v, m->matrix);
      if (best.size() < 2) continue;
      figures.push_back(bars(run, v, std::move(best)));
      if (auto roofline = roofline_of(run, v, m->matrix)) figures.push_back(std::move(*roofline));
    }
  }
  return figures;
}

}  // namespace nz::lab
