#include "lab/papers/coverage.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>

#include "lab/papers/experiments.hpp"
#include "lab/papers/printed.hpp"
#include "lab/papers/recall.hpp"

namespace nz::lab {
namespace {

using Json = nlohmann::ordered_json;

// Where a part is, by its name: ids of kernels and titles of tables.
using Places = std::map<std::string, std::vector<std::string>>;

constexpr std::array kinds{"Table", "Figure", "Listing", "Algorithm", "Deliverable"};

bool is_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == 'I' || c == 'V' ||
           c == 'X';
  });
}

// "figures" and "Figure" are Figure; "" for another word.
std::string kind_of(std::string_view word) {
  for (const std::string_view kind : kinds) {
    const auto same = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) ==
             std::tolower(static_cast<unsigned char>(b));
    };
    const bool plural = word.size() == kind.size() + 1 && word.back() == 's';
    if ((word.size() == kind.size() || plural) &&
        std::equal(kind.begin(), kind.end(), word.begin(), same))
      return std::string(kind);
  }
  return "";
}

// What an experiment shows where nothing was measured: the record of an empty run, told again.
Reproduction outline(const Experiment& e) {
  const bool gpu = e.needs != Experiment::Needs::cpu;
  constexpr double small = 0.001;
  const Recall nothing(Json{{"schema", "nonzero-reproduction/1"},
                            {"experiment", e.name},
                            {"scale", small},
                            {"device", gpu ? "cuda:0" : "cpu"},
                            {"results", Json::array()},
                            {"tables", Json::array()},
                            {"facts", Json::array()},
                            {"machine", Json::object()}},
                       "nothing");
  ExperimentOptions options{.scale = small, .device = nothing.device()};
  options.recall = &nothing;
  return e.run(options);
}

struct Shown {
  Places places;
  std::vector<std::string> titles;
  std::map<std::string, std::string> conclusions;  // by their words, which experiment judges them
};

Shown shown_of(std::string_view paper) {
  Shown all;
  for (const Experiment& e : experiments()) {
    if (e.paper != paper) continue;
    const Reproduction r = outline(e);
    for (const Claim& c : r.claims)
      all.conclusions.emplace(c.text, fmt::format("reproduce {}", e.name));
    for (const Comparison& c : r.tables) {
      all.titles.push_back(c.title);
      const std::string head = c.title.substr(0, c.title.find(':'));
      for (const std::string& part : parts_named(head))
        all.places[part].push_back(fmt::format("reproduce {}", e.name));
    }
  }
  for (const Kernel& k : kernels()) {
    const std::string_view source = k.source;
    // "dinoia2025 algorithm 2; mazzucchi2025 table I"
    for (std::size_t at = source.find(paper); at != source.npos; at = source.find(paper, at + 1))
      for (const std::string& part : parts_named(source.substr(at, source.find(';', at) - at)))
        all.places[part].push_back(k.id());
  }
  for (auto& [part, places] : all.places) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
  return all;
}

// Where the part is; empty: nowhere.
std::string place_of(const Json& part, const Shown& shown) {
  if (const auto kernel = part.find("kernel"); kernel != part.end()) {
    const std::string id = *kernel;
    return match_kernels(id).empty() ? "" : id;
  }
  if (const auto table = part.find("table"); table != part.end()) {
    const std::string start = *table;
    const bool there =
        std::any_of(shown.titles.begin(), shown.titles.end(),
                    [&](const std::string& title) { return title.starts_with(start); });
    return there ? fmt::format("table '{}'", start) : "";
  }
  // A way to measure, which is no table.
  if (const auto method = part.find("method"); method != part.end()) return *method;
  const auto found = shown.places.find(part["part"].get<std::string>());
  return found == shown.places.end() ? "" : fmt::format("{}", fmt::join(found->second, ", "));
}

Part judged(std::string_view paper, const Json& part, const Shown& shown) {
  Part p{.paper = std::string(paper), .name = part["part"]};
  const std::string place = place_of(part, shown);
  if (const auto why = part.find("missing"); why != part.end()) {
    p.note = *why;
    p.state = place.empty() ? Part::State::missing : Part::State::absent;
    if (!place.empty()) p.note = fmt::format("said to be missing, and is there: {}", place);
    return p;
  }
  if (const auto what = part.find("illustration"); what != part.end()) {
    p.note = *what;
    p.state = place.empty() ? Part::State::illustration : Part::State::absent;
    if (!place.empty()) p.note = fmt::format("said to be an illustration, and is there: {}", place);
    return p;
  }
  const auto how = part.find("differs");
  p.state = place.empty()       ? Part::State::absent
            : how != part.end() ? Part::State::differs
                                : Part::State::done;
  p.note = p.state == Part::State::absent ? "not found"
           : how != part.end()            ? how->get<std::string>()
                                          : place;
  return p;
}

// Numbered in the order of the file: their words are long.
void add_conclusions(std::string_view paper, const Shown& shown, std::vector<Part>& all) {
  int number = 0;
  for (const Json& one : printed(paper).at("conclusions")) {
    Part p{.paper = std::string(paper), .name = fmt::format("Conclusion {}", ++number)};
    if (one.is_object()) {
      p.state = Part::State::unmeasured;
      p.note = fmt::format("{}: {}", one["conclusion"].get<std::string>(),
                           one["not measured"].get<std::string>());
    } else {
      const std::string words = one;
      const auto found = shown.conclusions.find(words);
      const bool judged = found != shown.conclusions.end();
      p.state = judged ? Part::State::done : Part::State::absent;
      p.note = fmt::format("{}: {}", judged ? found->second : "not judged", words);
    }
    all.push_back(std::move(p));
  }
}

// Matrices by how they are had.
void add_data(std::string_view paper, std::vector<Part>& all) {
  std::vector<std::string_view> exact, stand_ins;
  for (const NamedMatrix& m : named_matrices())
    if (m.papers.find(paper) != std::string_view::npos)
      (m.exact ? exact : stand_ins).push_back(m.name);
  if (!exact.empty())
    all.push_back({std::string(paper), "Data, exact", Part::State::done,
                   fmt::format("{}", fmt::join(exact, ", "))});
  if (!stand_ins.empty())
    all.push_back(
        {std::string(paper), "Data, from the collection", Part::State::differs,
         fmt::format("stand-ins unless --matrices has them: {}", fmt::join(stand_ins, ", "))});
}

}  // namespace

std::string_view name(Part::State state) {
  switch (state) {
    case Part::State::done:
      return "done";
    case Part::State::differs:
      return "differs";
    case Part::State::illustration:
      return "illustration";
    case Part::State::missing:
      return "missing";
    case Part::State::unmeasured:
      return "not measured";
    case Part::State::absent:
      break;
  }
  return "not as said";
}

std::set<std::string> parts_named(std::string_view text) {
  std::set<std::string> all;
  std::string kind;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool listed = word.ends_with(',');
    if (listed) word.remove_suffix(1);
    if (word.starts_with("§")) {
      all.emplace(word);
      kind.clear();
    } else if (std::string next = kind_of(word); !next.empty()) {
      kind = std::move(next);
    } else if (!kind.empty() && is_number(word)) {
      all.insert(fmt::format("{} {}", kind, word));
    } else if (word != "and") {
      kind.clear();
    }
  }
  return all;
}

std::vector<Part> coverage(std::string_view paper) {
  const Shown shown = shown_of(paper);
  std::vector<Part> all;
  for (const Json& part : printed(paper).at("parts")) all.push_back(judged(paper, part, shown));
  add_conclusions(paper, shown, all);
  add_data(paper, all);
  return all;
}

std::vector<std::string> judged_conclusions(std::string_view paper) {
  std::vector<std::string> all;
  for (const Json& one : printed(paper).at("conclusions"))
    if (one.is_string()) all.push_back(one);
  return all;
}

std::vector<std::string> unnamed_parts(std::string_view paper) {
  std::set<std::string> named;
  for (const Json& part : printed(paper).at("parts")) named.insert(part["part"]);
  std::vector<std::string> all;
  const Shown shown = shown_of(paper);
  for (const auto& [part, places] : shown.places)
    if (!named.contains(part)) all.push_back(part);
  const auto judged = judged_conclusions(paper);
  for (const auto& [words, experiment] : shown.conclusions)
    if (std::find(judged.begin(), judged.end(), words) == judged.end()) all.push_back(words);
  return all;
}

Table coverage_table(std::string_view paper) {
  Table table({{"paper"}, {"part"}, {"state"}, {"where, or what of it"}});
  const auto papers = printed_papers();
  bool any = false;
  for (const std::string& one : papers) {
    if (!paper.empty() && paper != "all" && paper != one) continue;
    any = true;
    for (const Part& p : coverage(one))
      table.add({one, p.name,
                 Cell(name(p.state), p.state == Part::State::done ? Tone::good
                                     : p.state == Part::State::differs ||
                                             p.state == Part::State::illustration ||
                                             p.state == Part::State::unmeasured
                                         ? Tone::dim
                                         : Tone::bad),
                 p.note});
  }
  if (!any)
    throw InvalidArgument(
        fmt::format("no paper '{}'; there are: {}", paper, fmt::join(papers, ", ")));
  return table;
}

}  // namespace nz::lab
