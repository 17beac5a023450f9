#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "cli/commands.hpp"
#include "cli/kernels.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string pattern, source;
  bool markdown = false;
  bool planned = false;
  bool ids = false;
  bool everything = false;
};

std::vector<std::string> ops_of(const Kernel& k) {
  std::vector<std::string> all;
  for (const Op op : all_ops)
    if (k.supports(op)) all.emplace_back(name(op));
  // What has complex values conjugates, too: J, the conjugate alone, goes without saying.
  const bool complex =
      std::ranges::any_of(complex_value_types, [&](ValueType t) { return k.supports(t); });
  if (complex && k.transposes) all.emplace_back(name(Op::conjugate_transpose));
  return all;
}

std::vector<std::string> types_of(const Kernel& k) {
  std::vector<std::string> all;
  for (const ValueType t : all_value_types)
    if (k.supports(t)) all.emplace_back(name(t));
  for (const ValueType t : complex_value_types)
    if (k.supports(t)) all.emplace_back(name(t));
  return all;
}

// A plan is made on a device or on another, and runs there under one name.
using Entry = std::vector<const Kernel*>;

std::vector<Entry> entries_of(const std::vector<const Kernel*>& found) {
  std::vector<Entry> all;
  for (const Kernel* k : found) {
    const auto same =
        std::ranges::find_if(all, [&](const Entry& e) { return e.front()->id() == k->id(); });
    if (same == all.end())
      all.push_back({k});
    else
      same->push_back(k);
  }
  return all;
}

std::vector<std::string> places_of(const Entry& e) {
  std::vector<std::string> all;
  for (const Kernel* k : e)
    for (const std::string& place : cli::places_of(*k)) all.push_back(place);
  std::ranges::sort(all);  // as those of one kernel are
  return all;
}

// A transposed product may add with atomics where the plain one does not.
std::string determinism(const Kernel& k) {
  if (!k.repeats(Op::none)) return "no";
  return k.transposes && !k.repeats(Op::transpose) ? "N only" : "yes";
}

Json record(const Entry& entry) {
  const Kernel& k = *entry.front();
  Json parameters = Json::array();
  for (const Parameter& p : k.parameters)
    parameters.push_back({{"name", p.name},
                          {"summary", p.summary},
                          {"initial", p.initial},
                          {"min", p.min},
                          {"max", p.max}});
  return {{"id", k.id()},
          {"device", k.family},  // the key that records have always had
          {"runs_on", places_of(entry)},
          {"format", k.format},
          {"strategy", k.strategy},
          {"ops", ops_of(k)},
          {"several_vectors", k.several},
          {"types", types_of(k)},
          {"deterministic", k.repeats(Op::none)},
          {"source", k.source},
          {"summary", k.summary},
          {"parameters", parameters}};
}

lab::Table table(const std::vector<Entry>& found, bool markdown) {
  // Where a kernel runs depends on the build; a document's table does not.
  std::vector<lab::Table::Column> columns{{"kernel"},        {"ops"},    {"types"},  {"vectors"},
                                          {"deterministic"}, {"source"}, {"summary"}};
  if (!markdown) columns.insert(columns.begin() + 1, {"runs on"});
  lab::Table t(columns);
  for (const Entry& entry : found) {
    const Kernel* k = entry.front();
    std::vector<lab::Cell> row{markdown ? fmt::format("`{}`", k->id()) : k->id(),
                               fmt::format("{}", fmt::join(ops_of(*k), markdown ? ", " : " ")),
                               fmt::format("{}", fmt::join(types_of(*k), markdown ? ", " : " ")),
                               k->several ? "several" : "one",
                               determinism(*k),
                               k->source,
                               k->summary};
    if (!markdown) row.insert(row.begin() + 1, fmt::format("{}", fmt::join(places_of(entry), " ")));
    t.add(std::move(row));
  }
  return t;
}

// What fits 80 columns: most ids say the device, and types and sources are in the long form.
void print_short(const Session& session, const std::vector<Entry>& found) {
  lab::Table t({{"kernel"}, {"ops"}, {"summary"}});
  for (const Entry& entry : found) {
    const Kernel& k = *entry.front();
    t.add({k.id(), fmt::format("{}", fmt::join(ops_of(k), " ")), k.summary});
  }
  constexpr std::size_t usual_width = 80;
  const std::size_t width = session.width();
  session.print(t.text(session.colour(), width > 0 ? width : usual_width));
  session.say("\n{} kernels; --long, or the id of one of them, shows more.\n", found.size());
}

void print_parameters(const Session& session, const std::vector<Entry>& found) {
  lab::Table t(
      {{"parameter of"}, {"name"}, {"default", lab::Align::right}, {"range"}, {"summary"}});
  bool any = false;
  for (const Entry& entry : found)
    for (const Parameter& p : entry.front()->parameters) {
      t.add({entry.front()->id(), p.name, std::to_string(p.initial),
             fmt::format("{} to {}", p.min, p.max), p.summary});
      any = true;
    }
  if (any) session.print("\n" + t.text(session.colour(), session.width()));
}

int list(Session& session, Options options) {
  // `list --json 'cpu/*'`: what follows --json selects kernels, so it is the pattern.
  if (options.pattern.empty() && session.json.size() > 1 && !select_kernels(session.json).empty()) {
    options.pattern = session.json;
    session.json = "-";
  }
  // The table of a document is the same on every machine: the peers that one happens to have are
  // left out of it unless they are asked for.
  const bool all = options.pattern.empty() && !options.markdown;
  auto kernels = all ? match_kernels("*") : select_kernels(options.pattern);
  if (options.planned) std::erase_if(kernels, [](const Kernel* k) { return !is_planned(*k); });
  if (kernels.empty())
    throw InvalidArgument(fmt::format("no kernel {}matches '{}'; 'nonzero list' shows them all",
                                      options.planned ? "that a plan may choose " : "",
                                      options.pattern));
  if (!options.source.empty()) keep_sources(kernels, options.source);
  const std::vector<Entry> found = entries_of(kernels);
  if (options.ids) {
    for (const Entry& entry : found) session.print(entry.front()->id() + '\n');
  } else if (options.markdown) {
    session.print(table(found, true).markdown());
  } else if (!options.everything && found.size() > 1) {
    print_short(session, found);
  } else {
    session.print(table(found, false));
    print_parameters(session, found);
  }
  Json records = Json::array();
  for (const Entry& entry : found) records.push_back(record(entry));
  session.write(records);
  return ok;
}

}  // namespace

void add_list(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("list", "List the kernels of the registry")
      .takes("PATTERN", o->pattern,
             "Kernels to list: an id, a part of one, or a pattern with * and ?")
      .flag("--long", o->everything,
            "Also where they run, types, determinism, source and parameters")
      .flag("--markdown", o->markdown,
            "Print the table as Markdown; without a PATTERN, our own kernels only")
      .flag("--planned", o->planned, "Only the kernels that a plan may choose")
      .option("--source", "TEXTS", o->source,
              "Only those whose source has one of these texts in it, such as\n"
              "own,messa2025,csr5")
      .flag("--ids", o->ids, "Print the ids alone, one a line")
      .json(false)  // what follows it may be the pattern
      .notes(
          "Examples:\n"
          "  nonzero list\n"
          "  nonzero list csr --long\n"
          "  nonzero list cpu/sell/serial\n"
          "  nonzero list 'gpu/*' --planned --ids\n"
          "  nonzero list --source csr5,hola --long\n"
          "  nonzero list 'cpu/*/serial' --json -")
      .runs([&session, o] { return list(session, *o); });
}

}  // namespace nz::cli
