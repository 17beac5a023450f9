#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lab/bench/glob.hpp"
#include "lab/report/figures.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/text.hpp"

// Time over the number of vectors, wherever a record has several of them: one line a kernel, and
// what the bytes of CSR and of the vectors take at the bandwidth that was measured beside.
namespace nz::lab {
namespace {

constexpr std::size_t most_lines = 14;

// The best of a kernel for each number of vectors.
using Line = std::map<int, const Result*>;

struct Panel {
  std::map<std::string, Line> lines{};  // by kernel
  const Result* any = nullptr;          // shape and source are the same for all
  std::set<int> counts{};
};

double bandwidth(const Run& run) {
  double most = 0;
  for (const Bandwidth& b : run.record.bandwidth) most = std::max(most, b.read);
  return most;
}

// Seconds for so many vectors; 0 where something is not known.
double limit(const Run& run, const Result& r, int vectors) {
  const double value = r.type == "f32" ? 4 : 8;
  const double each = value * (static_cast<double>(r.rows) + static_cast<double>(r.cols));
  return csr_storage(r) > 0 && bandwidth(run) > 0
             ? (csr_storage(r) + each * vectors) / bandwidth(run)
             : 0;
}

// Those that are fastest for the most vectors that they have, in that order.
std::vector<std::pair<std::string, Line>> fastest(const Panel& p) {
  std::vector<std::pair<std::string, Line>> all;
  for (const auto& [kernel, line] : p.lines)
    if (line.size() >= 2) all.emplace_back(kernel, line);
  const auto last = [](const Line& line) { return *line.rbegin()->second->median_s; };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    if (a.second.rbegin()->first != b.second.rbegin()->first)
      return a.second.rbegin()->first > b.second.rbegin()->first;
    return last(a.second) < last(b.second);
  });
  if (all.size() > most_lines) all.resize(most_lines);
  return all;
}

std::string tip(const Result& r, double least) {
  std::string text = fmt::format("{}\n{} vectors\n{}, {} each", case_text(r), r.vectors.count,
                                 time_text(r), time_of(*r.median_s / r.vectors.count));
  if (least > 0) text += fmt::format("\n{:.2f} times the bytes of CSR", *r.median_s / least);
  return text;
}

std::optional<Figure> vectors_figure(const Run& run, const Variant& v, Layout layout,
                                     const Panel& p) {
  const auto lines = fastest(p);
  if (lines.empty()) return {};
  const bool limited = limit(run, *p.any, 1) > 0;
  std::vector<double> times;
  for (const auto& [kernel, line] : lines)
    for (const auto& [k, r] : line) times.push_back(*r->median_s);
  if (limited)
    for (const int k : p.counts) times.push_back(limit(run, *p.any, k));
  const Range up = log_range(times, 0.06);
  Drawing d(run.style, 270);
  const double top = add_title(d, fmt::format("Several vectors: {}", p.any->matrix),
                               fmt::format("{} by {} on {}", v.text(), name(layout), run.place));
  const Area a{40, top + 18, d.width() - 128, d.height() - 34};
  const Scale x =
      Scale::logarithmic(*p.counts.begin(), *p.counts.rbegin(), a.left + 8, a.right - 8);
  const Scale y = Scale::logarithmic(up.low, up.high, a.bottom, a.top);
  add_y_axis(d, a, y, {.title = "time of a product", .label = time_of});
  d.line({a.left, a.bottom}, {a.right, a.bottom}, {.ink = Ink::axis});
  for (const int k : p.counts)
    d.text({x(k), a.bottom + 13}, std::to_string(k),
           {.ink = Ink::soft, .size = small_type, .anchor = Anchor::middle});
  d.text({(a.left + a.right) / 2, a.bottom + 27}, "vectors",
         {.ink = Ink::soft, .size = small_type, .anchor = Anchor::middle});
  struct Label {
    double y;
    Ink ink;
    std::string text;
  };
  std::vector<Label> labels;
  for (const auto& [kernel, line] : lines) {
    const Ink ink = matches_any(kernel, run.sides.peers)  ? Ink::peer
                    : matches_any(kernel, run.sides.ours) ? Ink::ours
                                                          : Ink::purple;
    std::vector<Point> points;
    for (const auto& [k, r] : line) points.push_back({x(k), y(*r->median_s)});
    d.path(points, {.ink = ink, .width = 1.4, .opacity = 0.85});
    for (const auto& [k, r] : line)
      d.dot({x(k), y(*r->median_s)}, 2.6, {.ink = ink, .tip = tip(*r, limit(run, *r, k))});
    labels.push_back({points.back().y + 3, ink, short_name(kernel)});
  }
  if (limited) {
    std::vector<Point> points;
    for (const int k : p.counts) points.push_back({x(k), y(limit(run, *p.any, k))});
    d.path(points, {.ink = Ink::text, .width = 1.2, .dash = "4 3"});
    labels.push_back({points.back().y + 3, Ink::text, "bytes of CSR"});
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label& one, const Label& two) { return one.y < two.y; });
  std::vector<double> wanted;
  for (const Label& l : labels) wanted.push_back(l.y);
  wanted = spread_out(wanted, 10.5, a.top, a.bottom);
  for (std::size_t i = 0; i < labels.size(); ++i)
    d.text({a.right + 4, wanted[i]}, fitted_name(labels[i].text, 9, d.width() - a.right - 4),
           {.ink = labels[i].ink, .size = 9});
  return Figure{
      .kind = "vectors",
      .variant = v.text(),
      .label = fmt::format("Time over the number of vectors on {}, {} by {} on {}", p.any->matrix,
                           v.text(), name(layout), run.place),
      .caption = fmt::format(
          "One product of so many vectors, both axes logarithmic: a line that rises by less than "
          "the vectors do reads the matrix once for many.{}",
          limited ? " Dashed: the bytes of CSR and of the vectors at the bandwidth that was "
                    "measured in the same run; what stores fewer bytes can be below."
                  : ""),
      .drawing = std::move(d),
      .name = fmt::format("{}-{}", p.any->matrix, name(layout))};
}

}  // namespace

FigureList vectors_figures(const Run& run) {
  FigureList figures;
  std::vector<Variant> all;
  for (const Result& r : run.of_all_vectors)
    if (std::none_of(all.begin(), all.end(), [&](const Variant& v) { return v.has(r); }))
      all.push_back({r.type, r.op});
  for (const Variant& v : all)
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
      std::map<std::string, Panel> panels;
      std::vector<std::string> order;
      for (const Result& r : run.of_all_vectors) {
        if (!v.has(r) || !r.timed() || (r.vectors.several() && r.vectors.layout != layout))
          continue;
        if (!panels.contains(r.matrix)) order.push_back(r.matrix);
        Panel& p = panels[r.matrix];
        p.any = &r;
        p.counts.insert(r.vectors.count);
        const Result*& best = p.lines[r.kernel][r.vectors.count];
        if (!best || *r.median_s < *best->median_s) best = &r;
      }
      for (const std::string& matrix : order)
        if (panels[matrix].counts.size() >= 2)
          if (auto f = vectors_figure(run, v, layout, panels[matrix]))
            figures.push_back(std::move(*f));
    }
  return figures;
}

}  // namespace nz::lab
