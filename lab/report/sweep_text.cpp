#include "lab/report/sweep_text.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "lab/report/table.hpp"
#include "lab/report/text.hpp"

namespace nz::lab {
namespace {

// The results of one table, by the values of its two parameters.
using Grid = std::map<std::pair<std::int64_t, std::int64_t>, const Result*>;

double rate(const Result& r) { return static_cast<double>(r.bytes.value_or(0)) / *r.median_s; }

Cell cell(const Result* r, const Result* best, bool times) {
  if (!r) return {"", Tone::dim};
  if (r->status == Status::wrong) return {"WRONG", Tone::bad};
  if (r->status != Status::ok) return {std::string(name(r->status)), Tone::dim};
  if (!r->timed()) return {"right", Tone::good};
  const std::string text = times ? seconds_text(*r->median_s) : rate_text(rate(*r));
  return r == best ? Cell(text + " *", Tone::good) : Cell(text);
}

const Result* best_of(const Grid& grid) {
  const Result* best = nullptr;
  for (const auto& [at, r] : grid)
    if (r->timed() && (!best || *r->median_s < *best->median_s)) best = r;
  return best;
}

std::string table(const Grid& grid, const std::vector<Swept>& swept, bool times, bool colour,
                  std::size_t width) {
  const Swept& rows = swept[0];
  const Swept columns = swept.size() > 1 ? swept[1] : Swept{"", {0}};
  const Result* best = best_of(grid);
  const std::string unit = !best ? "result" : times ? "time" : "GB/s";
  std::vector<Table::Column> titles{{rows.name, Align::right}};
  for (const std::int64_t c : columns.values)
    titles.push_back(
        {columns.name.empty() ? unit : fmt::format("{}={}", columns.name, c), Align::right});
  Table t(titles);
  for (const std::int64_t r : rows.values) {
    std::vector<Cell> line{std::to_string(r)};
    for (const std::int64_t c : columns.values) {
      const auto at = grid.find({r, c});
      line.push_back(cell(at == grid.end() ? nullptr : at->second, best, times));
    }
    t.add(std::move(line));
  }
  std::string text = t.text(colour, width);
  if (best)
    text += fmt::format("*: the best: {}, {} GB/s\n", seconds_text(*best->median_s),
                        rate_text(rate(*best)));
  return text;
}

}  // namespace

std::string sweep_text(const Record& record, const std::vector<Swept>& swept, bool times,
                       bool colour, std::size_t width) {
  std::vector<std::pair<std::string, Grid>> tables;  // by title, in the order of the results
  std::vector<std::string> reasons;
  for (const Result& r : record.results) {
    std::string title =
        fmt::format("{} {} {} {} on {}", r.matrix, r.kernel, r.type, r.op,
                    r.device == "cpu" ? plural(r.threads, "thread", "threads") : r.device);
    for (std::size_t s = 2; s < swept.size(); ++s)
      title += fmt::format(" {}={}", swept[s].name, r.parameters.at(swept[s].name));
    auto at = std::find_if(tables.begin(), tables.end(), [&](auto& t) { return t.first == title; });
    if (at == tables.end()) at = tables.insert(at, {title, {}});
    const auto value = [&](std::size_t s) {
      return s < swept.size() ? r.parameters.at(swept[s].name) : 0;
    };
    at->second[{value(0), value(1)}] = &r;
    if (!r.reason.empty() && std::find(reasons.begin(), reasons.end(), r.reason) == reasons.end())
      reasons.push_back(r.reason);
  }
  std::string text;
  for (const auto& [title, grid] : tables)
    text += toned(title, Tone::bold, colour) +
            (!best_of(grid) ? "\n"
             : times        ? ", time\n"
                            : ", GB/s\n") +
            table(grid, swept, times, colour, width) + "\n";
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < reasons.size() && i < shown; ++i) text += reasons[i] + "\n";
  if (reasons.size() > shown)
    text += fmt::format("... and {} more reasons; --json has all\n", reasons.size() - shown);
  return text;
}

}  // namespace nz::lab
