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

constexpr double row_height = 25, bar_height = 9, time_type = 8.5;

struct Bar {
  const Result* result;
  double top, end;  // where it begins from above, and how far to the right it goes
  Ink ink;

  double label() const { return end + 4; }
  double label_end() const { return label() + text_width(time_of(*result->median_s), time_type); }
};

std::vector<Bar> bars_of(const std::vector<Contest>& all, const Scale& x, double top, bool peers) {
  std::vector<Bar> bars;
  const auto add = [&](const Result* r, double at, Ink ink) {
    const auto rate = r ? csr_rate(*r) : std::nullopt;
    if (rate) bars.push_back({r, at, x(*rate), ink});
  };
  for (const Contest& c : all) {
    const double first = top + (row_height - (peers ? 2 * bar_height + 1 : bar_height)) / 2;
    add(c.ours, first, Ink::ours);
    add(c.best_peer(), first + bar_height + 1, Ink::peer);
    top += row_height;
  }
  return bars;
}

void add_bar(Drawing& d, const Bar& b, double from) {
  d.box({from, b.top}, b.end - from, bar_height, {.ink = b.ink, .tip = tip(*b.result)});
  d.text({b.label(), b.top + bar_height - 0.6}, time_of(*b.result->median_s),
         {.ink = Ink::soft, .size = time_type, .halo = true});
}

// A line down the figure that leaves out the times which stand where it would be.
void add_read_line(Drawing& d, double x, double top, double bottom, const std::vector<Bar>& bars) {
  constexpr double air = 2;
  const Pen pen{.ink = Ink::text, .dash = "2 2"};
  double from = top;
  for (const Bar& b : bars) {
    if (x < b.label() - air || x > b.label_end() + air) continue;
    if (b.top > from) d.line({x, from}, {x, b.top}, pen);
    from = b.top + bar_height;
  }
  if (bottom > from) d.line({x, from}, {x, bottom}, pen);
}

Figure bars(const Run& run, const Variant& v, const std::vector<Contest>& all) {
  const bool peers = !pairs(all).empty();
  Drawing d(run.style, 100);
  double top = add_title(d, "Speed on each matrix", fmt::format("{} on {}", v.text(), run.place));
  std::vector<LegendEntry> legend{{Ink::ours, "ours"}};
  if (peers) legend.push_back({Ink::peer, "best peer"});
  top = add_legend(d, top, legend);
  const Area a{104, top + 14, d.width() - 46,
               top + 16 + row_height * static_cast<double>(all.size())};
  d.resize(a.bottom + 34);
  const double read = ceiling(run, all);
  double most = read;
  for (const Contest& c : all)
    for (const Result* r : {c.ours, c.best_peer()})
      if (r) most = std::max(most, csr_rate(*r).value_or(0));
  const Scale x = Scale::linear(0, most * 1.02, a.left, a.right);
  add_x_axis(d, a, x, {.title = "GB/s, counting the bytes of plain CSR", .label = gigabytes});
  const std::vector<Bar> bars = bars_of(all, x, a.top, peers);
  if (read > 0) {
    add_read_line(d, x(read), a.top - 3, a.bottom, bars);
    d.text({x(read), a.top - 6}, "read",
           {.ink = Ink::soft, .size = small_type, .anchor = Anchor::middle});
  }
  double y = a.top;
  for (const Contest& c : all) {
    const Result& any = c.ours ? *c.ours : *c.best_peer();
    d.text({a.left - 6, y + row_height / 2 + 3}, fitted_text(any.matrix, 10, a.left - 8),
           {.size = 10, .anchor = Anchor::end});
    y += row_height;
  }
  for (const Bar& b : bars) add_bar(d, b, x.from());
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
