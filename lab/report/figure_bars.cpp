#include <algorithm>

#include <fmt/format.h>

#include "lab/report/figures.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

std::string gigabytes(double rate) { return fmt::format("{:g}", rate / 1e9); }

std::string tip(const Result& r) {
  std::string text = fmt::format("{}\n{}", case_text(r), time_text(r));
  if (const auto rate = csr_rate(r))
    text += fmt::format("\n{:.1f} GB/s as if it moved CSR's bytes", *rate / 1e9);
  if (const auto rate = own_rate(r)) text += fmt::format("\n{:.1f} GB/s by its own", *rate / 1e9);
  if (r.bandwidth_share) text += fmt::format(", {:.1f} % of read", 100 * *r.bandwidth_share);
  if (r.hot_median_s) text += fmt::format("\nhot: {}", time_of(*r.hot_median_s));
  return text;
}

// The bandwidth that the contests' own threads could have.
double ceiling(const Run& run, const std::vector<Contest>& all) {
  double read = 0;
  for (const Contest& c : all)
    if (c.ours)
      if (const Bandwidth* b = run.record.memory(c.ours->threads, c.ours->device))
        read = std::max(read, b->read);
  return read;
}

void add_bar(Drawing& d, const Result& r, const Scale& x, double top, double height, Ink ink) {
  const auto rate = csr_rate(r);
  if (!rate) return;
  d.box({x.from(), top}, x(*rate) - x.from(), height, {.ink = ink, .tip = tip(r)});
  d.text({x(*rate) + 4, top + height - 0.6}, time_of(*r.median_s),
         {.ink = Ink::soft, .size = 8.5, .halo = true});
}

Figure bars(const Run& run, const Variant& v, const std::vector<Contest>& all) {
  constexpr double row = 25, bar = 9;
  const bool peers = !pairs(all).empty();
  Drawing d(run.style, 100);
  double top = add_title(d, "Speed on each matrix", fmt::format("{} on {}", v.text(), run.place));
  std::vector<LegendEntry> legend{{Ink::ours, "ours"}};
  if (peers) legend.push_back({Ink::peer, "best peer"});
  top = add_legend(d, top, legend);
  const Area a{104, top + 14, d.width() - 46, top + 16 + row * static_cast<double>(all.size())};
  d.resize(a.bottom + 34);
  const double read = ceiling(run, all);
  double most = read;
  for (const Contest& c : all)
    for (const Result* r : {c.ours, c.best_peer()})
      if (r) most = std::max(most, csr_rate(*r).value_or(0));
  const Scale x = Scale::linear(0, most * 1.02, a.left, a.right);
  add_x_axis(d, a, x, {.title = "GB/s, counting the bytes of plain CSR", .label = gigabytes});
  if (read > 0) {
    d.line({x(read), a.top - 3}, {x(read), a.bottom}, {.ink = Ink::text, .dash = "2 2"});
    d.text({x(read), a.top - 6}, "read",
           {.ink = Ink::soft, .size = small_type, .anchor = Anchor::middle});
  }
  double y = a.top;
  for (const Contest& c : all) {
    const Result& any = c.ours ? *c.ours : *c.best_peer();
    d.text({a.left - 6, y + row / 2 + 3}, fitted_text(any.matrix, 10, a.left - 8),
           {.size = 10, .anchor = Anchor::end});
    const double first = y + (row - (peers ? 2 * bar + 1 : bar)) / 2;
    if (c.ours) add_bar(d, *c.ours, x, first, bar, Ink::ours);
    if (const Result* p = c.best_peer()) add_bar(d, *p, x, first + bar + 1, bar, Ink::peer);
    y += row;
  }
  return {.kind = "bars",
          .variant = v.text(),
          .label = fmt::format("Bars of the speed of ours and of the best peer on {}, {} on {}",
                               plural(static_cast<std::int64_t>(all.size()), "matrix", "matrices"),
                               v.text(), run.place),
          .caption =
              "Longer is faster; the time of one product stands behind each bar. All bars of "
              "a matrix count the same bytes, those of plain CSR, so that a format which "
              "moves fewer can pass the bandwidth that reading memory reached.",
          .drawing = std::move(d)};
}

}  // namespace

FigureList bars_figures(const Run& run) {
  FigureList figures;
  for (const Variant& v : variants(run))
    if (const auto all = contests(run, v); !all.empty()) figures.push_back(bars(run, v, all));
  return figures;
}

}  // namespace nz::lab
