#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "lab/report/figures.hpp"
#include "lab/report/plot.hpp"

// A paper's tables as pictures: its figures and ours.
namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array series{Ink::ours, Ink::peer, Ink::green, Ink::purple,
                            Ink::gold, Ink::cyan, Ink::text,  Ink::other};

Ink ink_of(std::size_t i) { return series[std::min(i, series.size() - 1)]; }

std::string axis_text(double v) { return tick_text(v); }

// "ms" of "COO (ms)"; "" where there is none.
std::string unit_of(const std::string& column) {
  const auto open = column.rfind('(');
  return open != column.npos && column.ends_with(')')
             ? column.substr(open + 1, column.size() - open - 2)
             : "";
}

std::string without_unit(const std::string& column) {
  const std::string unit = unit_of(column);
  return unit.empty() ? column : column.substr(0, column.size() - unit.size() - 3);
}

bool is_whole(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::optional<double> value(const Json& line, const char* side, const std::string& column) {
  const auto all = line.find(side);
  if (all == line.end() || !all->is_object()) return {};
  const auto at = all->find(column);
  if (at == all->end() || !at->is_number()) return {};
  return at->get<double>();
}

// Some columns of a table that can share an axis.
struct Part {
  std::string title, about, unit;
  std::vector<std::string> columns{};
  std::vector<const Json*> lines{};

  std::vector<double> values() const {
    std::vector<double> all;
    for (const Json* line : lines)
      for (const std::string& c : columns)
        for (const char* side : {"here", "paper"})
          if (const auto v = value(*line, side, c)) all.push_back(*v);
    return all;
  }
  bool measured() const {
    return std::any_of(lines.begin(), lines.end(), [&](const Json* line) {
      return std::any_of(columns.begin(), columns.end(),
                         [&](const std::string& c) { return value(*line, "here", c).has_value(); });
    });
  }
  // Rows, nonzeros and means are not of one kind, units or not.
  bool alike() const {
    std::vector<double> sizes;
    for (const std::string& c : columns) {
      std::vector<double> of;
      for (const Json* line : lines)
        if (const auto v = value(*line, "here", c)) of.push_back(std::abs(*v));
      if (!of.empty()) sizes.push_back(median(of));
    }
    const auto [low, high] = std::minmax_element(sizes.begin(), sizes.end());
    return !sizes.empty() && *high <= 1000 * std::max(*low, 1e-12);
  }
};

// Whether a table is about ratios: its title says so, as they have no unit.
bool of_ratios(const std::string& title) {
  return title.find("speed-up") != title.npos || title.find("times as fast") != title.npos;
}

// One part a unit. Columns without one count only where none has one; or alone, where they are the
// ratios the table is about, and the others what these are taken from.
std::vector<Part> parts_of(const Json& table) {
  const std::string title = table.value("title", "");
  const auto colon = title.find(": ");
  std::map<std::string, Part> by_unit;
  for (const Json& c : table.value("columns", Json::array()))
    if (c.is_string()) by_unit[unit_of(c)].columns.push_back(c);
  if (of_ratios(title) && by_unit.contains(""))
    std::erase_if(by_unit, [](const auto& part) { return !part.first.empty(); });
  else if (by_unit.size() > 1)
    by_unit.erase("");
  std::vector<Part> parts;
  for (auto& [unit, part] : by_unit) {
    part.unit = unit;
    part.title = colon == title.npos ? title : title.substr(0, colon);
    part.about = colon == title.npos ? "" : title.substr(colon + 2);
    const auto lines = table.find("lines");
    if (lines != table.end())
      for (const Json& line : *lines) part.lines.push_back(&line);
    if (part.measured() && part.alike()) parts.push_back(std::move(part));
  }
  return parts;
}

Scale scale_of(const Part& p, double from, double to) {
  const std::vector<double> all = p.values();
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  if (*low > 0) {
    const Range r = log_range(all, 0.06);
    return Scale::logarithmic(r.low, r.high, from, to);
  }
  return Scale::linear(std::min(*low, 0.0), std::max(*high, 0.0), from, to);
}

std::string tip(const Part& p, const Json& line, const std::string& column) {
  const auto text = [&](const char* side) {
    const auto v = value(line, side, column);
    return v ? fmt::format("{:.4g}{}{}", *v, p.unit.empty() ? "" : " ", p.unit) : "-";
  };
  return fmt::format("{}: {}\nhere {}\nthe paper {}", line.value("label", ""), without_unit(column),
                     text("here"), text("paper"));
}

double add_keys(Drawing& d, double top, const std::vector<std::string>& names) {
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; names.size() > 1 && i < names.size(); ++i)
    legend.push_back({ink_of(i), names[i]});
  if (!legend.empty()) top = add_legend(d, top, legend);
  const double y = top + 8;
  d.dot({4, y - 3}, 3.5, {.ink = Ink::ours});
  d.text({12, y}, "here", {.ink = Ink::soft, .size = small_type});
  d.ring({46, y - 3}, 3, {.ink = Ink::ours, .width = 1.4});
  d.text({54, y}, "the paper", {.ink = Ink::soft, .size = small_type});
  return y + 8;
}

// A row a line, an ink a column.
Drawing dots(const FigureStyle& style, const Part& p) {
  constexpr double row = 20;
  Drawing d(style, 100);
  double top = add_title(d, p.title, p.about);
  std::vector<std::string> names;
  for (const std::string& c : p.columns) names.push_back(without_unit(c));
  top = add_keys(d, top, names);
  double widest = 30;
  for (const Json* line : p.lines)
    widest = std::max(widest, text_width(line->value("label", ""), small_type));
  const Area a{std::min(widest + 8, 150.0), top + 6, d.width() - 8,
               top + 6 + row * static_cast<double>(p.lines.size())};
  d.resize(a.bottom + 34);
  const Scale x = scale_of(p, a.left + 4, a.right);
  add_x_axis(d, a, x,
             {.title = p.columns.size() == 1 ? std::string_view(p.columns[0]) : p.unit,
              .label = axis_text});
  double y = a.top + row / 2;
  for (const Json* line : p.lines) {
    d.text({a.left - 6, y + 3.3}, fitted_name(line->value("label", ""), small_type, a.left - 6),
           {.size = small_type, .anchor = Anchor::end});
    for (std::size_t i = 0; i < p.columns.size(); ++i) {
      const auto here = value(*line, "here", p.columns[i]),
                 paper = value(*line, "paper", p.columns[i]);
      const std::string text = tip(p, *line, p.columns[i]);
      if (here && paper)
        d.line({x(*here), y}, {x(*paper), y}, {.ink = ink_of(i), .width = 1, .opacity = 0.35});
      if (paper) d.ring({x(*paper), y}, 3, {.ink = ink_of(i), .width = 1.4}, text);
      if (here) d.dot({x(*here), y}, 3.5, {.ink = ink_of(i), .tip = text});
    }
    y += row;
  }
  return d;
}

// Columns that are numbers: a line a label, ours drawn through, the paper's dashed.
Drawing lines(const FigureStyle& style, const Part& p) {
  Drawing d(style, 100);
  double top = add_title(d, p.title, p.about);
  std::vector<std::string> names;
  for (const Json* line : p.lines) names.push_back(line->value("label", ""));
  top = add_keys(d, top, names);
  const Area a{38, top + 8, d.width() - 8, top + 208};
  d.resize(a.bottom + 20);
  const Scale y = scale_of(p, a.bottom, a.top);
  add_y_axis(d, a, y, {.label = axis_text});
  d.line({a.left, a.bottom}, {a.right, a.bottom}, {.ink = Ink::axis});
  const auto place = [&](std::size_t c) {
    return a.left + (static_cast<double>(c) + 0.5) * (a.right - a.left) /
                        static_cast<double>(p.columns.size());
  };
  for (std::size_t c = 0; c < p.columns.size(); ++c)
    d.text({place(c), a.bottom + 13}, p.columns[c],
           {.ink = Ink::soft, .size = 8.5, .anchor = Anchor::middle});
  for (std::size_t i = 0; i < p.lines.size(); ++i)
    for (const char* side : {"paper", "here"}) {
      const bool ours = std::string_view(side) == "here";
      std::vector<Point> points;
      std::vector<std::string> tips;
      for (std::size_t c = 0; c < p.columns.size(); ++c)
        if (const auto v = value(*p.lines[i], side, p.columns[c])) {
          points.push_back({place(c), y(*v)});
          tips.push_back(tip(p, *p.lines[i], p.columns[c]));
        }
      d.path(points, {.ink = ink_of(i),
                      .width = ours ? 1.6 : 1.0,
                      .dash = ours ? "" : "3 3",
                      .opacity = ours ? 1 : 0.7});
      for (std::size_t k = 0; k < points.size(); ++k)
        if (ours)
          d.dot(points[k], 3.2, {.ink = ink_of(i), .tip = tips[k]});
        else
          d.ring(points[k], 2.4, {.ink = ink_of(i), .width = 1.2}, tips[k]);
    }
  return d;
}

}  // namespace

FigureList table_figures(const Run& run) {
  FigureList figures;
  const auto tables = run.paper.find("tables");
  if (tables == run.paper.end() || !tables->is_array()) return figures;
  const std::string place = run.paper.value("places", run.place);
  for (const Json& table : *tables) {
    if (!table.is_object()) continue;
    for (const Part& p : parts_of(table)) {
      const bool numbered =
          p.columns.size() > 2 && std::all_of(p.columns.begin(), p.columns.end(), is_whole);
      figures.push_back({.kind = "table",
                         .variant = "",
                         .label = fmt::format("{}: {}, {}", p.title, p.about, place),
                         .caption = fmt::format("{}{}{}. Here: {}.", p.title,
                                                p.about.empty() ? "" : ": ", p.about, place),
                         .drawing = numbered ? lines(run.style, p) : dots(run.style, p),
                         .name = p.title + (p.unit.empty() ? "" : '-' + p.unit)});
      // Two tables may have one name.
      std::string& name = figures.back().name;
      const auto same = [&](const Figure& f) { return &f != &figures.back() && f.name == name; };
      for (int i = 2; std::any_of(figures.begin(), figures.end(), same); ++i)
        name = fmt::format("{}-{}", p.title, i);
    }
  }
  return figures;
}

}  // namespace nz::lab
