#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/solve.hpp>

#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/power.hpp"
#include "cli/session.hpp"
#include "cli/solving.hpp"
#include "cli/vector_file.hpp"
#include "lab/report/table.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string matrix, personalisation;
  double damping = 0.85;
  int top = 20;
  bool unweighted = false;
  IterationOptions iteration{.tolerance = 1e-10};
};

// Ranks are shares of walks, and nothing goes along an edge with a probability below 0.
void require_weights(const std::string& name, const CsrView<double, std::int64_t>& a) {
  for (index_t i = 0; i < a.rows; ++i)
    for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      if (!(a.values[k] >= 0) || !std::isfinite(a.values[k]))
        throw BadInput(fmt::format(
            "{}: the edge from {} to {} (counting from 1) weighs {}: weights are at least 0; "
            "--unweighted takes every entry for an edge of weight 1",
            name, i + 1, a.columns[k] + 1, a.values[k]));
}

// What --x0 and --checkpoint keep is one vector, and only .npy files have several.
void require_one_vector(const Options& o, index_t columns) {
  if (columns == 1) return;
  for (const auto& [option, file] :
       {std::pair{"--x0", o.iteration.x0}, std::pair{"--checkpoint", o.iteration.checkpoint}})
    if (!file.empty())
      throw InvalidArgument(fmt::format("{} is for one personalisation, {} has {}", option,
                                        o.personalisation, columns));
  require_place_for_several(o.iteration.output, columns);
}

// The nodes of highest rank, the first one first.
std::vector<std::size_t> top_of(std::span<const double> x, int top) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shown = std::min(x.size(), static_cast<std::size_t>(top));
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
      [&](std::size_t a, std::size_t b) { return x[a] > x[b] || (x[a] == x[b] && a < b); });
  order.resize(shown);
  return order;
}

std::string advice(const solve::Result& r) {
  if (r.reason != solve::Stop::iteration_limit) return "";
  return fmt::format("limit of {} iterations reached at {:.1g}: --max-iterations", r.iterations,
                     r.residual);
}

int run(const Session& session, const Options& o) {
  check_options(session, o.iteration,
                {{"GRAPH", file_of_matrix(o.matrix)}, {"--personalisation", o.personalisation}});
  if (!(o.damping >= 0 && o.damping < 1))
    throw InvalidArgument(fmt::format("--damping: {} is not at least 0 and below 1", o.damping));
  const Device device = session.where();
  lab::Source source = session.load(o.matrix);
  if (o.unweighted) std::fill(source.matrix.values.begin(), source.matrix.values.end(), 1.0);
  require_square(source, "a graph");
  require_weights(lab::label(source), source.matrix.view());
  nlohmann::ordered_json record = describe(source);
  const auto n = static_cast<std::size_t>(source.matrix.rows);
  Vectors<double> start{.rows = source.matrix.rows};
  if (!o.personalisation.empty())
    start = vectors_of_length<double>(o.personalisation, source.matrix.rows, "personalisation");
  const index_t several = start.columns;
  if (several == 0) throw BadInput(fmt::format("{}: has no columns", o.personalisation));
  require_one_vector(o, several);
  Array<double> x = several == 1 ? first_distribution(o.iteration, source.matrix.rows)
                                 : Array<double>(n * static_cast<std::size_t>(several), 0.0);
  // The transpose pays within a few iterations.
  const auto p = plan(transpose(source.matrix.view()), {.device = device, .vectors = several});
  solve::PageRankOptions<double> options;
  set_power_options(options, o.iteration, 1000);
  options.damping = o.damping;
  if (several == 1) options.personalisation = start.values;
  const Iterated done = [&] {
    Watched<double> watched("PageRank", o.iteration, device, x);
    options.callback = watched.callback();
    if (several == 1) return watched.finish(solve::pagerank(p, watched.x(), options));
    return watched.finish(
        solve::pagerank(p, std::as_const(start).view(),
                        column_major(watched.x().data(), source.matrix.rows, several), options));
  }();
  const solve::Result& r = done.result;
  std::string lines = fmt::format("{:<9} {} ({}, {})\n", "graph", lab::label(source),
                                  lab::plural(source.matrix.rows, "node", "nodes"),
                                  lab::plural(source.matrix.nnz(), "edge", "edges"));
  lines += fmt::format("{:<9} {} on {}\n", "kernel", p.kernel().id(), p.device().name());
  if (o.top > 0) {
    lines += "Nodes count from 1, as in Matrix Market files; in JSON from 0.\n";
    if (source.file && source.note.ends_with("from 0"))
      lines += "The file is an edge list that counts them from 0: node 1 here is its node 0.\n";
    else if (source.file && !source.note.empty())
      lines += fmt::format("The file is an {}.\n", source.note);
  }
  record["top"] = nlohmann::ordered_json::array();
  constexpr index_t most_tables = 8;
  for (index_t j = 0; j < several; ++j) {
    const std::span<const double> ranks(x.data() + n * static_cast<std::size_t>(j), n);
    lab::Table table({{"", lab::Align::right}, {"node", lab::Align::right}, {"rank"}});
    auto top = nlohmann::ordered_json::array();
    for (const std::size_t node : top_of(ranks, o.top)) {
      table.add({fmt::format("{}", top.size() + 1), fmt::format("{}", node + 1),
                 fmt::format("{:.6g}", ranks[node])});
      top.push_back({{"node", node}, {"rank", ranks[node]}});
    }
    if (several > 1 && j < most_tables && o.top > 0)
      lines += fmt::format("{:<9} {} of {}\n", "column", j + 1, several);
    if (j < most_tables) lines += table.text(session.colour(), session.width());
    if (several == 1)
      record["top"] = std::move(top);
    else
      record["top"].push_back(std::move(top));
  }
  if (several > most_tables && o.top > 0)
    lines += fmt::format("{} columns more: --json has the top of all.\n", several - most_tables);
  record["damping"] = o.damping;
  record["device"] = p.device().name();
  return conclude<double>(
      session, o.iteration,
      {fmt::format("PageRank of {}", title_of(source)), std::move(lines), advice(r), several}, done,
      x, record);
}

}  // namespace

void add_pagerank(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  Command c = parser.add("pagerank", "Rank the nodes of a graph");
  c.needs("GRAPH", o->matrix,
          "A file, gen:SPEC or like:NAME: an entry is an edge from its row to its column")
      .number("--top", "N", o->top, 0, 1'000'000, "Show the N nodes of highest rank (default 20)")
      .option("--damping", "D", o->damping, "The share that follows edges (default 0.85)")
      .option("--personalisation,--personalization", "FILE", o->personalisation,
              "Weights of the nodes where a walk starts anew (default: all alike).\n"
              "A .npy file of two dimensions has several, one a column: all at once");
  c.flag("--unweighted", o->unweighted, "Every entry is an edge of weight 1, whatever its value");
  add_iteration_options(c, o->iteration, "Of what all ranks together change by (default 1e-10)",
                        "Give up after N iterations (default 1000)",
                        "Write all ranks to FILE (.mtx or .npy; several columns as .npy),\n"
                        "or to stdout (-), as .mtx")
      .device()
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero pagerank G.mtx --top 20\n"
          "  nonzero pagerank gen:rmat:scale=12 --unweighted -o ranks.npy\n"
          "  nonzero pagerank G.mtx --personalisation seeds.npy -o ranks.npy")
      .runs([&session, o] {
        session.stdout_has_data = puts_data_on_stdout(o->iteration);
        return run(session, *o);
      });
}

}  // namespace nz::cli
