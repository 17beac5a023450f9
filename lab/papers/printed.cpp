#include "lab/papers/printed.hpp"

#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

struct File {
  const char* paper;
  const char* text;
};
constexpr File files[] = {
#include <papers.inc>  // made by lab/CMakeLists.txt
};

const Json& table_of(std::string_view paper, std::string_view table) {
  const Json& all = printed(paper);
  const auto tables = all.find("tables");
  if (tables != all.end())
    if (const auto found = tables->find(table); found != tables->end()) return *found;
  throw std::out_of_range(fmt::format("{} has no '{}'", paper, table));
}

// body(label, column, cell) for each cell, and begin(label) for each line.
template <class Begin, class Body>
void each_cell(const Json& table, Begin&& begin, Body&& body) {
  const Json& columns = table.at("columns");
  for (const auto& [label, cells] : table.at("lines").items()) {
    begin(label);
    for (std::size_t k = 0; k < cells.size(); ++k) body(columns.at(k), cells[k]);
  }
}

}  // namespace

std::vector<std::string> printed_papers() {
  std::vector<std::string> all;
  for (const File& f : files) all.emplace_back(f.paper);
  return all;
}

const Json& printed(std::string_view paper) {
  static const auto all = [] {
    std::map<std::string, Json, std::less<>> parsed;
    for (const File& f : files) parsed.emplace(f.paper, Json::parse(f.text));
    return parsed;
  }();
  const auto found = all.find(paper);
  if (found == all.end()) throw std::out_of_range(fmt::format("no figures of '{}'", paper));
  return found->second;
}

PrintedLines printed_table(std::string_view paper, std::string_view table) {
  PrintedLines lines;
  each_cell(
      table_of(paper, table),
      [&](const std::string& label) {
        lines.push_back({label, {}});
      },
      [&](const Json& column, const Json& cell) {
        if (cell.is_number())
          lines.back().second.emplace(column.get<std::string>(), cell.get<double>());
      });
  return lines;
}

std::vector<std::pair<std::string, Words>> printed_words(std::string_view paper,
                                                         std::string_view table) {
  std::vector<std::pair<std::string, Words>> lines;
  each_cell(
      table_of(paper, table),
      [&](const std::string& label) {
        lines.push_back({label, {}});
      },
      [&](const Json& column, const Json& cell) {
        if (cell.is_string())
          lines.back().second.emplace(column.get<std::string>(), cell.get<std::string>());
      });
  return lines;
}

double printed_figure(std::string_view paper, std::string_view table, std::string_view line,
                      std::string_view column) {
  for (const auto& [label, figures] : printed_table(paper, table))
    if (label == line) return figure(figures, column);
  return no_figure;
}

}  // namespace nz::lab
