#include "lab/papers/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "lab/bench/machine.hpp"

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

Json number(double v) { return std::isnan(v) ? Json() : Json(v); }

Json cells(const Figures& figures, const Words& words) {
  Json all = Json::object();
  for (const auto& [column, value] : figures)
    if (!std::isnan(value)) all[column] = value;
  for (const auto& [column, word] : words) all[column] = word;
  return all;
}

}  // namespace

bool Limits::undecided(double figure) const {
  const auto near = [&](double limit) {
    return std::isfinite(limit) && std::abs(figure - limit) <= noise * std::abs(limit);
  };
  return noise > 0 && (near(low) || near(high));
}

Claim Claim::judge(std::string text, double paper, double here, const Limits& limits) {
  Claim c{.text = std::move(text), .paper = paper, .here = here};
  if (std::isnan(here)) return c;
  c.undecided = limits.undecided(here);
  if (!c.undecided) c.holds = limits(here);
  return c;
}

Claim Claim::unmeasured(std::string text, double paper, std::string why_not) {
  return {.text = std::move(text), .paper = paper, .why_not = std::move(why_not)};
}

std::string verdict(const Claim& c) {
  if (c.holds) return *c.holds ? "yes" : "no";
  if (c.undecided) return "undecided";
  if (!std::isnan(c.here)) return "not judged";
  return c.why_not.empty() ? "not measured" : fmt::format("not measured: {}", c.why_not);
}

double figure(const Figures& all, std::string_view column) {
  const auto found = all.find(column);
  return found == all.end() ? no_figure : found->second;
}

const Comparison::Line& Comparison::line(std::string_view label) const {
  for (const Line& l : lines)
    if (l.label == label) return l;
  throw std::out_of_range(fmt::format("{}: no line '{}'", title, label));
}

double Side::at(std::string_view table, std::string_view label, std::string_view column) const {
  for (const Comparison& c : tables_)
    if (c.title.starts_with(table)) {
      const Comparison::Line& l = c.line(label);
      return figure(here_ ? l.here : l.paper, column);
    }
  throw std::out_of_range(fmt::format("no table '{}'", table));
}

std::string figure_text(double v, Style style) {
  if (std::isnan(v)) return "";
  switch (style) {
    case Style::count:
      return fmt::format("{:.0f}", v);
    case Style::percent:
      return fmt::format("{:.1f} %", 100 * v);
    case Style::seconds:
      return v < 0.1 ? fmt::format("{:#.3g}", v) : fmt::format("{:.3f}", v);
    case Style::figure:
      break;
  }
  if (v < 0.1) return fmt::format("{:.3g}", v);
  return v < 1000 ? fmt::format("{:.2f}", v) : fmt::format("{:.0f}", v);
}

Table table_of(const Comparison& c) {
  const auto text = [&](const Figures& figures, const Words& words, const std::string& column) {
    if (const auto word = words.find(column); word != words.end()) return word->second;
    const auto found = c.styles.find(column);
    return figure_text(figure(figures, column),
                       found == c.styles.end() ? Style::figure : found->second);
  };
  const auto has_paper = [](const Comparison::Line& l) {
    return !l.paper.empty() || !l.paper_words.empty();
  };
  std::vector<Table::Column> head{{c.corner}};
  if (c.layout == Comparison::Layout::stacked) {
    // Without a figure of the paper's there is no one to tell ours from.
    const bool whose = std::any_of(c.lines.begin(), c.lines.end(), has_paper);
    if (whose) head.push_back({""});
    for (const std::string& name : c.columns) head.push_back({name, Align::right});
    Table table(std::move(head));
    for (const Comparison::Line& l : c.lines) {
      std::vector<Cell> here{l.label}, paper{""};
      if (whose) {
        here.emplace_back("here");
        paper.emplace_back("paper", Tone::dim);
      }
      for (const std::string& name : c.columns) {
        here.emplace_back(text(l.here, l.here_words, name), Tone::bold);
        paper.emplace_back(text(l.paper, l.paper_words, name), Tone::dim);
      }
      table.add(std::move(here));
      if (has_paper(l)) table.add(std::move(paper));
    }
    return table;
  }
  for (const std::string& name : c.columns) {
    head.push_back({name + ", here", Align::right});
    head.push_back({"paper", Align::right});
  }
  Table table(std::move(head));
  for (const Comparison::Line& l : c.lines) {
    std::vector<Cell> cells{l.label};
    for (const std::string& name : c.columns) {
      cells.emplace_back(text(l.here, l.here_words, name), Tone::bold);
      cells.emplace_back(text(l.paper, l.paper_words, name), Tone::dim);
    }
    table.add(std::move(cells));
  }
  return table;
}

Table table_of(const std::vector<Claim>& claims) {
  Table table({{"the paper's conclusion"},
               {"its figure", Align::right},
               {"here", Align::right},
               {"holds here"}});
  for (const Claim& c : claims)
    table.add({c.text, figure_text(c.paper), figure_text(c.here),
               Cell(verdict(c), !c.holds   ? Tone::dim
                                : *c.holds ? Tone::good
                                           : Tone::bad)});
  return table;
}

std::string markdown(const Reproduction& r) {
  std::string text = fmt::format("# {}\n\n", r.title);
  for (const std::string& fact : r.facts) text += fmt::format("- {}\n", fact);
  for (const Comparison& c : r.tables) {
    text += fmt::format("\n## {}\n\n{}", c.title, table_of(c).markdown());
    if (const std::string bars = bars_of(c); !bars.empty())
      text += fmt::format("\n```\n{}```\n", bars);
    for (const std::string& note : c.notes) text += fmt::format("\n{}\n", note);
  }
  text += fmt::format("\n## Which conclusions hold here\n\n{}", table_of(r.claims).markdown());
  return text;
}

Json to_json(const Reproduction& r) {
  const Commit source = commit();
  Json all{{"schema", "nonzero-reproduction/1"},
           {"commit", source.id},
           {"dirty", source.dirty},
           {"compiler", compiler()},
           {"build_type", build_type()},
           {"machine", describe_machine(r.device)},
           {"environment", describe_environment()},
           {"title", r.title},
           {"facts", r.facts},
           {"device", r.device.name()},
           {"tables", Json::array()},
           {"claims", Json::array()}};
  all.update(r.about);
  for (const Comparison& c : r.tables) {
    Json lines = Json::array();
    for (const Comparison::Line& l : c.lines)
      lines.push_back({{"label", l.label},
                       {"here", cells(l.here, l.here_words)},
                       {"paper", cells(l.paper, l.paper_words)}});
    all["tables"].push_back(
        {{"title", c.title}, {"columns", c.columns}, {"lines", lines}, {"notes", c.notes}});
  }
  for (const Claim& c : r.claims)
    all["claims"].push_back({{"text", c.text},
                             {"paper", number(c.paper)},
                             {"here", number(c.here)},
                             {"holds", c.holds ? Json(*c.holds) : Json()},
                             {"verdict", verdict(c)}});
  all["results"] = r.results;
  return all;
}

}  // namespace nz::lab
