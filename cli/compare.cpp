#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

#include "cli/commands.hpp"
#include "cli/lists.hpp"
#include "cli/outputs.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "lab/bench/compare.hpp"
#include "lab/bench/matrix_name.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;
using lab::Align;
using lab::Pair;
using lab::Result;
using lab::Tone;

struct Options {
  std::vector<std::string> records;
  std::string matrices, kernels, ops, types, threads, vectors, layouts;
  std::string ours = "cpu/*,gpu/*", peers = "peer/*";
  std::string against;
  bool fastest = false, markdown = false;
};

std::vector<std::string> list(const std::string& text, std::string_view option) {
  return text.empty() ? std::vector<std::string>{} : split_list(text, option);
}

lab::Filter filter_of(const Options& o) {
  lab::Filter f{.matrices = list(o.matrices, "--only"), .kernels = list(o.kernels, "--kernels")};
  if (!o.ops.empty())
    for (const Op op : parse_ops(o.ops)) f.ops.emplace_back(name(op));
  if (!o.types.empty())
    for (const ValueType t : parse_types(o.types)) f.types.emplace_back(name(t));
  if (!o.threads.empty()) f.threads = parse_threads(o.threads);
  if (!o.vectors.empty()) f.vectors = parse_vectors(o.vectors);
  if (!o.layouts.empty())
    for (const Layout l : parse_layouts(o.layouts)) f.layouts.emplace_back(lab::name(l));
  return f;
}

std::string product(const Result& r) { return lab::product_named(r); }

// Products in their order, 4 vectors before 16.
using Place = std::tuple<std::string, std::string, int, Layout>;
Place place_of(const Result& r) { return {r.type, r.op, r.vectors.count, r.vectors.layout}; }

lab::Cell ratio_cell(const Pair& p) {
  return {fmt::format("{:.2f}", p.ratio()), p.lost() ? Tone::bad : Tone::plain};
}

// Pairs under a title, such as "f64 N against the best peer".
struct Group {
  std::string title;
  std::vector<Pair> pairs;
};

void add_to(std::vector<Group>& groups, const std::string& title, const Pair& p) {
  auto at = std::find_if(groups.begin(), groups.end(), [&](auto& g) { return g.title == title; });
  if (at == groups.end()) at = groups.insert(at, {title, {}});
  at->pairs.push_back(p);
}

lab::Table summary_table(const std::vector<Group>& groups, const char* first_column) {
  lab::Table t({{first_column},
                {"cases", Align::right},
                {"geomean", Align::right},
                {"worst", Align::right},
                {"on"},
                {"losses", Align::right}});
  for (const Group& g : groups) {
    const lab::Summary s = lab::summarise(g.pairs);
    t.add({g.title,
           std::to_string(s.cases),
           fmt::format("{:.2f}", s.geomean),
           ratio_cell(s.worst),
           s.worst.ours->matrix,
           {std::to_string(s.lost), s.lost ? Tone::bad : Tone::plain}});
  }
  return t;
}

Json summary_json(const std::vector<Group>& groups) {
  Json all = Json::array();
  for (const Group& g : groups) {
    const lab::Summary s = lab::summarise(g.pairs);
    all.push_back({{"what", g.title},
                   {"cases", s.cases},
                   {"geomean", s.geomean},
                   {"worst", s.worst.ratio()},
                   {"worst_matrix", s.worst.ours->matrix},
                   {"losses", s.lost}});
  }
  return all;
}

Json pair_json(const Pair& p) {
  return {{"matrix", p.ours->matrix},
          {"op", p.ours->op},
          {"type", p.ours->type},
          {"vectors", p.ours->vectors.count},
          {"layout", lab::name(p.ours->vectors.layout)},
          {"kernel", p.ours->kernel},
          {"threads", p.ours->threads},
          {"median_s", *p.ours->median_s},
          {"other", p.theirs->kernel},
          {"other_threads", p.theirs->threads},
          {"other_median_s", *p.theirs->median_s},
          {"ratio", p.ratio()}};
}

// The pairs in which ours is more than 5 % slower, the worst first.
std::string losses(const std::vector<Pair>& pairs, bool markdown = false) {
  std::vector<Pair> lost;
  for (const Pair& p : pairs)
    if (p.lost()) lost.push_back(p);
  std::sort(lost.begin(), lost.end(),
            [](const Pair& a, const Pair& b) { return a.ratio() < b.ratio(); });
  if (lost.empty()) return "\nNo losses: nothing is more than 5 % slower.\n";
  std::string text = "\nLosses, more than 5 % slower:\n";
  if (markdown) text += '\n';
  for (const Pair& p : lost)
    text += fmt::format("{}{:.2f}  {} {}: {} {}, {} {}\n", markdown ? "- " : "  ", p.ratio(),
                        p.ours->matrix, product(*p.ours), p.ours->kernel,
                        lab::seconds_text(*p.ours->median_s), p.theirs->kernel,
                        lab::seconds_text(*p.theirs->median_s));
  return text;
}

int two_records(const Session& session, const Options& o) {
  const lab::Filter filter = filter_of(o);
  const lab::NamedPath one = lab::named_path(o.records[0]), two = lab::named_path(o.records[1]);
  const lab::Record first = lab::read_record(one.path), second = lab::read_record(two.path);
  const auto called = [](const lab::NamedPath& p, const char* otherwise) {
    return p.name.empty() ? std::string(otherwise) : p.name;
  };
  const lab::Records both = lab::compare_records(first, second, filter);
  if (both.pairs.empty()) throw BadInput("the two records have no timed case in common");
  lab::Table table({{"matrix"},
                    {"kernel"},
                    {"product"},
                    {"thr", Align::right},
                    {called(one, "first"), Align::right},
                    {called(two, "second"), Align::right},
                    {"ratio", Align::right}});
  std::vector<Group> groups;
  Json pairs = Json::array();
  for (const Pair& p : both.pairs) {
    table.add({p.ours->matrix, p.ours->kernel, product(*p.ours), std::to_string(p.ours->threads),
               lab::seconds_text(*p.theirs->median_s), lab::seconds_text(*p.ours->median_s),
               ratio_cell(p)});
    add_to(groups, product(*p.ours), p);
    pairs.push_back(pair_json(p));
  }
  groups.push_back({"all", both.pairs});
  session.print(table);
  session.print("\n");
  session.print(summary_table(groups, "product"));
  session.print(losses(both.pairs));
  Json only = Json::object();
  for (const auto& [which, results, name] :
       {std::tuple{"first", &both.only_first, called(one, "the first record")},
        std::tuple{"second", &both.only_second, called(two, "the second record")}}) {
    only[which] = Json::array();
    if (!results->empty()) session.say("\nOnly in {}:\n", name);
    for (const Result* r : *results) {
      session.say("  {}\n", lab::key(*r));
      only[which].push_back(lab::key(*r));
    }
  }
  session.say("\nratio: how many times as fast {} is.\n", called(two, "the second record"));
  session.write({{"summary", summary_json(groups)}, {"pairs", pairs}, {"only", only}});
  return ok;
}

// A table for people, or for a document.
void show(const Session& session, const Options& o, const lab::Table& t) {
  o.markdown ? session.print(t.markdown()) : session.print(t);
}

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", 100 * *share) : "-";
}

// Ours against the peers, one line a product: a column for each pattern of --against, with the best
// of those that match, and last the best of all.
class ContestTable {
 public:
  // Of one product where it has a title.
  ContestTable(std::string title, std::vector<std::string> against)
      : title_(std::move(title)),
        against_(std::move(against)),
        one_(!title_.empty()),
        table_(columns(against_, one_)) {}

  void add(const lab::Contest& c) {
    const Result& ours = *c.ours;
    std::vector<lab::Cell> row{ours.matrix};
    if (!one_) row.emplace_back(product(ours));
    row.insert(row.end(),
               {ours.kernel, lab::seconds_text(*ours.median_s), share_text(ours.bandwidth_share)});
    for (const std::string& pattern : against_) add_peer(row, ours, c.best_peer({pattern}));
    row.emplace_back(c.best_peer()->kernel);
    add_peer(row, ours, c.best_peer());
    const auto turned = c.turned();
    row.emplace_back(turned ? fmt::format("{:.2f}", *turned) : "");
    table_.add(std::move(row));
  }
  const std::string& title() const { return title_; }
  const lab::Table& table() const { return table_; }

 private:
  static std::vector<lab::Table::Column> columns(const std::vector<std::string>& against,
                                                 bool one_product) {
    std::vector<lab::Table::Column> all{{"matrix"}};
    if (!one_product) all.push_back({"product"});
    all.insert(all.end(), {{"ours"}, {"time", Align::right}, {"of read", Align::right}});
    for (const std::string& pattern : against) {
      all.push_back({pattern.substr(pattern.rfind('/') + 1), Align::right});
      all.push_back({"ratio", Align::right});
    }
    all.insert(
        all.end(),
        {{"best peer"}, {"time", Align::right}, {"ratio", Align::right}, {"T/N", Align::right}});
    return all;
  }
  static void add_peer(std::vector<lab::Cell>& row, const Result& ours, const Result* peer) {
    row.emplace_back(peer ? lab::seconds_text(*peer->median_s) : "-");
    row.push_back(peer ? ratio_cell({&ours, peer}) : lab::Cell("-"));
  }

  std::string title_;
  std::vector<std::string> against_;
  bool one_;  // product, which the title says
  lab::Table table_;
};

// What to do where a plan is ours and the record does not say what one chose.
std::string without_plan(const lab::Record& record, const lab::Sides& sides,
                         const lab::Filter& filter) {
  const auto any = [&](auto&& is) {
    return std::any_of(record.results.begin(), record.results.end(),
                       [&](const Result& r) { return r.timed() && filter.passes(r) && is(r); });
  };
  if (!sides.planned || any([](const Result& r) { return r.planned.value_or(false); })) return "";
  if (any([](const Result& r) { return r.kernel.starts_with("plan/"); }))
    return "; its whole plans are --ours 'plan/*'";
  return "; bench --kernels plan,... measures what a plan chooses";
}

int one_record(const Session& session, const Options& o) {
  const lab::Filter filter = filter_of(o);
  const std::string file = lab::named_path(o.records[0]).path;
  const lab::Record record = lab::read_record(file);
  lab::Sides sides{list(o.ours, "--ours"), list(o.peers, "--peers"), o.fastest};
  sides.planned = std::erase(sides.ours, "plan") > 0;
  const std::vector<std::string> against = list(o.against, "--against");
  const auto contests = lab::compare_within(record, sides, filter);
  // In a document one table a product, which is short enough to read.
  std::map<Place, ContestTable> tables;
  std::vector<Group> groups;
  std::vector<Pair> all;
  Json pairs = Json::array();
  std::string alone;
  std::set<std::string> mine;  // products that ours have at all: a plan may be for one of them
  for (const lab::Contest& c : contests)
    if (c.ours) mine.insert(product(*c.ours));
  std::set<std::string> not_mine;
  for (const lab::Contest& c : contests) {
    const Result* best = c.best_peer();
    if (!c.ours && best && !mine.contains(product(*best))) {
      if (not_mine.insert(product(*best)).second)
        alone += fmt::format("  {}: no time of ours on any matrix\n", product(*best));
      continue;
    }
    if (!c.ours || !best) {
      const Result& r = c.ours ? *c.ours : *best;
      alone +=
          fmt::format("  {} {}: no time of {}\n", r.matrix, product(r), c.ours ? "a peer" : "ours");
      continue;
    }
    const auto place = tables.try_emplace(o.markdown ? place_of(*c.ours) : Place{},
                                          o.markdown ? product(*c.ours) : "", against);
    place.first->second.add(c);
    const auto add = [&](const std::string& title, const Result* peer, bool pair) {
      add_to(groups, product(*c.ours) + " against " + title, {c.ours, peer});
      if (pair) all.push_back({c.ours, peer});
    };
    // With --against, those peers and the best one; without, every peer.
    add("the best peer", best, !against.empty());
    for (const std::string& pattern : against)
      if (const Result* peer = c.best_peer({pattern})) add(pattern, peer, peer != best);
    for (const Result* peer : c.peers) {
      if (against.empty()) add(peer->kernel, peer, true);
      pairs.push_back(pair_json({c.ours, peer}));
      pairs.back()["bandwidth_share"] =
          c.ours->bandwidth_share ? Json(*c.ours->bandwidth_share) : Json(nullptr);
    }
  }
  if (all.empty())
    throw BadInput(fmt::format("{}: no product was timed with one of '{}' and one of '{}'{}", file,
                               o.ours, o.peers, without_plan(record, sides, filter)));
  // "f64 N" stays together, the best peer first: it was met first.
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return place_of(*a.pairs.front().ours) < place_of(*b.pairs.front().ours);
  });
  for (const auto& [place, table] : tables) {
    if (!table.title().empty()) session.say("### {}\n\n", table.title());
    show(session, o, table.table());
    session.print("\n");
  }
  if (o.markdown) session.print("### In short\n\n");
  show(session, o, summary_table(groups, "ours"));
  session.print(losses(all, o.markdown));
  Json turned_json = nullptr;
  if (const lab::TransposeRatio t = lab::summarise_transposed(contests); t.cases > 0) {
    const Result& worst = *t.worst->ours;
    session.say("\nT takes {:.2f} times as long as N (geometric mean of {}), {:.2f} on {} {}.\n",
                t.geomean, lab::plural(static_cast<std::int64_t>(t.cases), "case", "cases"),
                *t.worst->turned(), worst.matrix, worst.type);
    turned_json = {{"cases", t.cases},
                   {"geomean", t.geomean},
                   {"worst", *t.worst->turned()},
                   {"worst_matrix", worst.matrix},
                   {"worst_type", worst.type}};
  }
  if (!alone.empty()) session.print("\nNot compared:\n" + alone);
  session.print(
      "\nratio: how many times as fast ours is; each kernel on the threads that suit it. of read: "
      "our kernel's\nbytes over its time, as a share of the read bandwidth. T/N: ours for T over "
      "ours for N.\n");
  session.write({{"summary", summary_json(groups)}, {"turned", turned_json}, {"pairs", pairs}});
  return ok;
}

int compare(const Session& session, const Options& o) {
  if (o.records.size() > 2) throw InvalidArgument("compare takes one record or two");
  std::vector<NamedFile> read;
  for (const std::string& file : o.records) read.emplace_back("RECORD", lab::named_path(file).path);
  require_apart({{"--json", session.json}}, read);
  return o.records.size() == 2 ? two_records(session, o) : one_record(session, o);
}

}  // namespace

void add_compare(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("compare", "Compare two records of bench, or ours with the peers within one")
      .needs("RECORD", o->records,
             "Two records: how many times as fast is the second? One: ours against the peers.\n"
             "NAME=FILE is called NAME")
      .option("--ours", "PATTERNS", o->ours,
              "Within one record: our kernels (default 'cpu/*,gpu/*'); plan stands for what a\n"
              "plan chose")
      .option("--peers", "PATTERNS", o->peers, "Within one record: the peers (default 'peer/*')")
      .option("--against", "PATTERNS", o->against,
              "Within one record: a column for the best peer that matches each of these, and\n"
              "only these and the best peer in the summary")
      .flag("--fastest", o->fastest, "Take the fastest of ours, not the one that a plan chooses")
      .flag("--markdown", o->markdown, "Within one record: tables for a document, one a product")
      .option("--kernels", "PATTERNS", o->kernels, "Only kernels whose id matches")
      .option("--only", "PATTERNS", o->matrices, "Only matrices whose name matches")
      .option("--ops", "OPS", o->ops, "Only N or only T")
      .option("--types", "TYPES", o->types, "Only f32 or only f64")
      .option("--threads", "LIST", o->threads, "Only these numbers of threads")
      .option("--vectors", "LIST", o->vectors, "Only these numbers of vectors")
      .option("--layout", "LAYOUTS", o->layouts, "Of several vectors, only rows or only columns")
      .json()
      .notes(
          "A ratio above 1: ours, or the second record, is faster. Losses are more than 5 % "
          "slower.\n"
          "\nExamples:\n"
          "  nonzero compare before.json after.json --kernels 'cpu/csr/*'\n"
          "  nonzero compare cpu.json --peers 'peer/eigen/*,peer/librsb/*' --ops N\n"
          "  nonzero compare cpu.json --ours cpu/csr/omp-rows --peers cpu/csr/serial\n"
          "  nonzero compare cpu.json --ours plan --peers 'cpu/csr/*'\n"
          "  nonzero compare gpu.json --ours plan/balanced/n --peers 'gpu/*'\n"
          "  nonzero compare bsr.json --ours 'gpu/bsr/*' --against 'peer/cusparse/bsr*'")
      .runs([&session, o] { return compare(session, *o); });
}

}  // namespace nz::cli
