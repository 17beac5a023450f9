#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/size_text.hpp"
#include "lab/report/figures.hpp"
#include "lab/report/standings.hpp"
#include "lab/report/strip.hpp"
#include "lab/report/text.hpp"

// What a kernel costs beside its product: memory, setup, and when the setup has paid.
namespace nz::lab {
namespace {

constexpr std::size_t most_rows = 14;

std::string times(double v) { return tick_text(v) + "×"; }

// The format of a kernel: "csr" of ours, "cusparse csr" of a peer.
std::string storage_name(const std::string& kernel, bool peer) {
  if (kernel.starts_with("plan/")) return "plans";  // of any format
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= kernel.size();) {
    const auto end = std::min(kernel.find('/', at), kernel.size());
    parts.push_back(kernel.substr(at, end - at));
    at = end + 1;
  }
  if (parts.size() < 3) return kernel;
  // A peer's last part is its format and algorithm: csr-alg1-pre.
  return peer ? parts[1] + ' ' + parts[2].substr(0, parts[2].find('-')) : parts[1];
}

std::vector<LegendEntry> who(const std::vector<StripRow>& rows) {
  std::vector<LegendEntry> all;
  for (const auto& [ink, text] : {std::pair{Ink::ours, "ours"}, {Ink::peer, "peers"}})
    if (std::any_of(rows.begin(), rows.end(), [&](const StripRow& r) { return r.ink == ink; }))
      all.push_back({ink, text});
  return all;
}

double middle(const StripRow& row) {
  std::vector<double> values;
  for (const StripMark& m : row.marks) values.push_back(m.value);
  return median(values);
}

void sort_rows(std::vector<StripRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const StripRow& a, const StripRow& b) { return middle(a) < middle(b); });
}

std::optional<Figure> memory(const Run& run, const Variant& v) {
  std::map<std::string, StripRow> rows;
  std::set<std::string> met;
  bool any_plan = false;
  for (const Result& r : run.record.results) {
    if (!v.has(r) || !r.prepared_bytes || *r.prepared_bytes <= 0 || !(csr_storage(r) > 0)) continue;
    const Party whose = party(run.sides, r.kernel);
    if (whose == Party::none) continue;
    const bool peer = whose == Party::peer;
    const std::string label = storage_name(r.kernel, peer);
    const double ratio = static_cast<double>(*r.prepared_bytes) / csr_storage(r);
    const bool strong = r.planned.value_or(false);
    any_plan = any_plan || strong;
    // Kernels of a format mostly hold the same.
    if (!strong && !met.insert(fmt::format("{} {} {:.3f}", label, r.matrix, ratio)).second)
      continue;
    StripRow& row = rows[label];
    row.label = label;
    row.ink = peer ? Ink::peer : Ink::ours;
    row.marks.push_back(
        {ratio,
         fmt::format("{}\n{}\n{}, {:.2f} times CSR's {}", case_text(r), short_name(r.kernel),
                     size_text(static_cast<double>(*r.prepared_bytes)), ratio,
                     size_text(csr_storage(r))),
         strong});
  }
  std::vector<StripRow> sorted;
  for (auto& [label, row] : rows) sorted.push_back(std::move(row));
  if (sorted.empty()) return {};
  sort_rows(sorted);
  return Figure{
      .kind = "memory",
      .variant = v.text(),
      .label = fmt::format("Memory of {} formats against CSR, {} on {}", sorted.size(), v.text(),
                           run.place),
      .caption = fmt::format("What the prepared matrix holds over what plain CSR holds, a dot a "
                             "matrix{}. A peer that does not tell what it holds shows only what is "
                             "known.",
                             any_plan ? "; the full dots are what a plan chose" : ""),
      .drawing = strip(sorted, {.title = "Memory against CSR",
                                .about = fmt::format("{} on {}", v.text(), run.place),
                                .axis = "bytes held, over those of CSR",
                                .label = times,
                                .reference = 1,
                                .reference_text = "CSR",
                                .legend = who(sorted),
                                .figure = run.style})};
}

// The kernels worth a row, with a mark for each of their results that has one.
template <class Mark>
std::vector<StripRow> rows_of(const Run& run, const Variant& v, Mark&& mark) {
  const Standings all = standings(run, v);
  std::vector<StripRow> rows;
  for (const Standing* s : leaders(all, most_rows)) {
    if (s->kernel == "plan") continue;
    StripRow row{short_name(s->kernel), s->peer ? Ink::peer : Ink::ours};
    for (const Result* r : s->results)
      if (r)
        if (const auto m = mark(*r)) row.marks.push_back(*m);
    if (!row.marks.empty()) rows.push_back(std::move(row));
  }
  sort_rows(rows);
  return rows;
}

std::optional<Figure> setup(const Run& run, const Variant& v) {
  // A record without plain CSR has nothing better to count in than the kernel's own product.
  const bool plain = std::any_of(run.record.results.begin(), run.record.results.end(),
                                 [&](const Result& r) { return v.has(r) && r.speedup; });
  const std::string unit = plain ? "products of plain CSR" : "products of its own";
  const auto rows = rows_of(run, v, [&](const Result& r) -> std::optional<StripMark> {
    if (!r.setup_s || !(*r.setup_s > 0) || (plain && !r.speedup)) return {};
    const double one = *r.median_s * (plain ? *r.speedup : 1);
    return StripMark{*r.setup_s / one,
                     fmt::format("{}\n{}\nsetup {}: {:.1f} {} ({})", case_text(r), time_text(r),
                                 time_of(*r.setup_s), *r.setup_s / one, unit, time_of(one)),
                     r.planned.value_or(false)};
  });
  if (rows.empty()) return {};
  return Figure{
      .kind = "setup",
      .variant = v.text(),
      .label = fmt::format("Setup cost of {} kernels, {} on {}", rows.size(), v.text(), run.place),
      .caption = fmt::format("How long preparing the matrix takes, counted in {}, a dot a matrix; "
                             "the best kernels only.",
                             unit),
      .drawing = strip(rows, {.title = "Setup cost",
                              .about = fmt::format("{} on {}", v.text(), run.place),
                              .axis = "setup, in " + unit,
                              .legend = who(rows),
                              .figure = run.style})};
}

std::optional<Figure> break_even(const Run& run, const Variant& v) {
  const auto rows = rows_of(run, v, [](const Result& r) -> std::optional<StripMark> {
    if (!r.speedup || r.baseline == r.kernel) return {};
    const std::string what = case_text(r);
    if (!r.break_even) return StripMark{std::numeric_limits<double>::infinity(), what};
    return StripMark{
        std::max(1.0, *r.break_even),
        fmt::format("{}\n{}\n{:.2f} times as fast as plain CSR\npaid after {}", what, time_text(r),
                    *r.speedup,
                    plural(static_cast<std::int64_t>(*r.break_even), "product", "products")),
        r.planned.value_or(false)};
  });
  const bool any = std::any_of(rows.begin(), rows.end(), [](const StripRow& row) {
    return std::any_of(row.marks.begin(), row.marks.end(),
                       [](const StripMark& m) { return std::isfinite(m.value); });
  });
  if (!any) return {};
  return Figure{
      .kind = "break-even",
      .variant = v.text(),
      .label = fmt::format("Break-even of {} kernels, {} on {}", rows.size(), v.text(), run.place),
      .caption =
          "The number of products from which the kernel, its setup counted, has taken less "
          "time than plain CSR with its own setup. Never: on so many matrices it is not "
          "faster.",
      .drawing = strip(rows, {.title = "Break-even",
                              .about = fmt::format("{} on {}", v.text(), run.place),
                              .axis = "products until the setup has paid",
                              .never = true,
                              .legend = who(rows),
                              .figure = run.style})};
}

template <class Make>
FigureList each_variant(const Run& run, Make&& make) {
  FigureList figures;
  if (run.study) return figures;
  for (const Variant& v : variants(run))
    if (auto f = make(run, v)) figures.push_back(std::move(*f));
  return figures;
}

}  // namespace

FigureList memory_figures(const Run& run) { return each_variant(run, memory); }
FigureList setup_figures(const Run& run) { return each_variant(run, setup); }
FigureList break_even_figures(const Run& run) { return each_variant(run, break_even); }

}  // namespace nz::lab
