#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lab/report/figures.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/text.hpp"

// How sensitive a kernel is to its parameters, wherever a record has it with several choices.
namespace nz::lab {
namespace {

using Values = std::set<std::int64_t>;

std::string times(double v) { return tick_text(v) + "×"; }

// A kernel on one matrix, type and op, and on so many threads.
struct Sweep {
  std::vector<const Result*> results{};
  std::map<std::string, Values> values{};  // of each parameter
};

// The two parameters that were tried together most often, the one with more values first; then
// each of the others that has three values or more, alone.
std::vector<std::vector<std::string>> varied(const Sweep& s) {
  std::vector<std::string> names;
  for (const auto& [name, values] : s.values)
    if (values.size() >= 2) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return s.values.at(a).size() > s.values.at(b).size();
  });
  std::vector<std::vector<std::string>> figures;
  std::size_t most = 0;
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      std::set<std::pair<std::int64_t, std::int64_t>> together;
      for (const Result* r : s.results)
        if (r->parameters.contains(names[i]) && r->parameters.contains(names[j]))
          together.emplace(r->parameters.at(names[i]), r->parameters.at(names[j]));
      // Fewer are one line of the first parameter and one of the second.
      const std::size_t lines = s.values.at(names[i]).size() + s.values.at(names[j]).size();
      if (together.size() > std::max(most, lines))
        most = together.size(), figures = {{names[i], names[j]}};
    }
  for (const std::string& name : names) {
    const bool drawn = !figures.empty() && (figures[0][0] == name || figures[0].back() == name);
    if (!drawn && s.values.at(name).size() >= 3) figures.push_back({name});
  }
  if (!figures.empty() && s.values.at(figures[0][0]).size() < 3) figures.erase(figures.begin());
  return figures;
}

std::optional<std::int64_t> value_of(const Result& r, const std::string& name) {
  const auto at = r.parameters.find(name);
  return at == r.parameters.end() ? std::nullopt : std::optional(at->second);
}

// The best result for each value of the first parameter, for one of the second.
using Line = std::map<std::int64_t, const Result*>;

std::map<std::int64_t, Line> lines_of(const Sweep& s, const std::vector<std::string>& names) {
  std::map<std::int64_t, Line> lines;
  for (const Result* r : s.results) {
    const auto across = value_of(*r, names[0]);
    const auto which = names.size() > 1 ? value_of(*r, names[1]) : 0;
    if (!across || !which) continue;
    const Result*& best = lines[*which][*across];
    if (!best || *r->median_s < *best->median_s) best = r;
  }
  return lines;
}

std::string tip(const Result& r, double best) {
  std::string text = fmt::format("{}\n{}\n{}\n{:.2f} times the best", case_text(r), time_text(r),
                                 parameters_text(r.parameters), *r.median_s / best);
  if (const auto rate = own_rate(r)) text += fmt::format("\n{:.1f} GB/s", *rate / 1e9);
  return text;
}

// The values stand at equal distances: most are powers of two, and 0 often means "by itself".
void draw_lines(Drawing& d, const Area& a, const Scale& y, const Values& across,
                const std::map<std::int64_t, Line>& lines, double best, bool labelled) {
  const auto place = [&](std::int64_t v) {
    const auto i = static_cast<double>(std::distance(across.begin(), across.find(v)));
    return a.left + (i + 0.5) * (a.right - a.left) / static_cast<double>(across.size());
  };
  for (const std::int64_t v : across)
    d.text({place(v), a.bottom + 13}, std::to_string(v),
           {.ink = Ink::soft, .size = small_type, .anchor = Anchor::middle});
  std::vector<double> ends;
  std::size_t n = 0;
  const auto strength = [&](std::size_t i) {
    return lines.size() < 2
               ? 1
               : 0.4 + 0.6 * static_cast<double>(i) / static_cast<double>(lines.size() - 1);
  };
  for (const auto& [which, line] : lines) {
    std::vector<Point> points;
    for (const auto& [v, r] : line) points.push_back({place(v), y(*r->median_s / best)});
    d.path(points, {.ink = Ink::ours, .width = 1.6, .opacity = strength(n)});
    for (const auto& [v, r] : line)
      d.dot({place(v), y(*r->median_s / best)}, *r->median_s <= best ? 4.2 : 2.8,
            {.ink = *r->median_s <= best ? Ink::peer : Ink::ours,
             .tip = tip(*r, best),
             .opacity = *r->median_s <= best ? 1 : strength(n)});
    ends.push_back(points.back().y + 3);
    ++n;
  }
  if (!labelled) return;
  ends = spread_out(ends, 10.5, a.top, a.bottom);
  n = 0;
  for (const auto& [which, line] : lines)
    d.text({a.right + 4, ends[n++]}, std::to_string(which), {.ink = Ink::ours, .size = 9});
}

// The choice of the parameters that vary at all.
std::string choice_text(const Result& r, const Sweep& s) {
  Parameters varying;
  for (const auto& [name, value] : r.parameters)
    if (s.values.at(name).size() > 1) varying[name] = value;
  return parameters_text(varying);
}

Figure sweep_figure(const Run& run, const Variant& v, const Sweep& s,
                    const std::vector<std::string>& names) {
  const auto lines = lines_of(s, names);
  const Result& any = *s.results[0];
  const Result& fastest = **std::min_element(
      s.results.begin(), s.results.end(),
      [](const Result* a, const Result* b) { return *a->median_s < *b->median_s; });
  const double best = *fastest.median_s;
  std::vector<double> ratios{1, 1.5};
  for (const auto& [which, line] : lines)
    for (const auto& [value, r] : line) ratios.push_back(*r->median_s / best);
  const Range range = log_range(ratios, 0.06);
  Drawing d(run.style, 250);
  const double top =
      add_title(d, any.kernel, fmt::format("{} of {} on {}", v.text(), any.matrix, run.place));
  const bool labelled = names.size() > 1;
  const Area a{34, top + 18, d.width() - (labelled ? 58 : 6), d.height() - 34};
  const Scale y = Scale::logarithmic(range.low, range.high, a.bottom, a.top);
  add_y_axis(d, a, y, {.title = "time over the best", .label = times});
  d.line({a.left, a.bottom}, {a.right, a.bottom}, {.ink = Ink::axis});
  d.text({(a.left + a.right) / 2, a.bottom + 27}, names[0],
         {.ink = Ink::soft, .size = small_type, .anchor = Anchor::middle});
  if (labelled)
    d.text({d.width(), a.top - 8}, names[1],
           {.ink = Ink::ours, .size = small_type, .anchor = Anchor::end});
  Values across;
  for (const auto& [which, line] : lines)
    for (const auto& [value, r] : line) across.insert(value);
  draw_lines(d, a, y, across, lines, best, labelled);
  return {
      .kind = "sweep",
      .variant = v.text(),
      .label = fmt::format("Sensitivity of {} to {} on {}", any.kernel, names[0], any.matrix),
      .caption = fmt::format("Sensitivity to {}{}; other parameters as suits each point best. The "
                             "orange dot is the best choice: {} with {}.",
                             names[0], labelled ? ", a line for each " + names[1] : "",
                             time_of(best), choice_text(fastest, s)),
      .drawing = std::move(d),
      .name = fmt::format("{}-{}-{}{}", any.kernel, names[0], any.matrix,
                          any.threads > 1 ? fmt::format("-{}", any.threads) : "")};
}

}  // namespace

FigureList sweep_figures(const Run& run) {
  FigureList figures;
  for (const Variant& v : variants(run)) {
    std::map<std::string, Sweep> sweeps;
    for (const Result& r : run.record.results) {
      if (!v.has(r) || !r.timed()) continue;
      Sweep& s = sweeps[fmt::format("{} {} {}", r.kernel, r.matrix, r.threads)];
      s.results.push_back(&r);
      for (const auto& [name, value] : r.parameters) s.values[name].insert(value);
    }
    for (const auto& [key, s] : sweeps)
      for (const auto& names : varied(s)) figures.push_back(sweep_figure(run, v, s, names));
  }
  return figures;
}

}  // namespace nz::lab
