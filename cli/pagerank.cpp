#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/solve.hpp>

#include "cli/commands.hpp"
#include "cli/parser.hpp"
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

int run(const Session& session, const Options& o) {
  check_outputs(o.iteration);
  const Device device = session.where();
  lab::Source source = session.load(o.matrix);
  if (o.unweighted) std::fill(source.matrix.values.begin(), source.matrix.values.end(), 1.0);
  nlohmann::ordered_json record = describe(source);
  const auto n = static_cast<std::size_t>(source.matrix.rows);
  Array<double> start;
  if (!o.personalisation.empty())
    start = vector_of_length<double>(o.personalisation, source.matrix.rows, "personalisation");
  // The transpose pays within a few iterations.
  const auto p = plan(transpose(source.matrix.view()), {.device = device});
  Array<double> x(n);
  solve::PageRankOptions<double> options;
  options.tolerance = o.iteration.tolerance;
  options.max_iterations = o.iteration.max_iterations;
  options.check_every = o.iteration.check_every;
  options.transposed = true;
  options.damping = o.damping;
  options.personalisation = start;
  const solve::Result r = [&] {
    ResidualLine line("PageRank");
    options.callback = line.callback();
    return solve::pagerank(p, x, options);
  }();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto shown = static_cast<std::ptrdiff_t>(std::min(n, static_cast<std::size_t>(o.top)));
  std::partial_sort(
      order.begin(), order.begin() + shown, order.end(),
      [&](std::size_t a, std::size_t b) { return x[a] > x[b] || (x[a] == x[b] && a < b); });
  session.say("{:<9} {} ({} nodes, {} edges)\n", "graph", lab::label(source),
              lab::count_text(source.matrix.rows), lab::count_text(source.matrix.nnz()));
  session.say("{:<9} {} on {}\n", "kernel", p.kernel().id(), p.device().name());
  // Nodes are numbered as in the file, from 1.
  lab::Table table({{"", lab::Align::right}, {"node", lab::Align::right}, {"rank"}});
  record["top"] = nlohmann::ordered_json::array();
  for (std::ptrdiff_t i = 0; i < shown; ++i) {
    const std::size_t node = order[static_cast<std::size_t>(i)];
    table.add(
        {fmt::format("{}", i + 1), fmt::format("{}", node + 1), fmt::format("{:.6g}", x[node])});
    record["top"].push_back({{"node", node + 1}, {"rank", x[node]}});
  }
  session.print(table);
  record["damping"] = o.damping;
  record["device"] = p.device().name();
  return conclude<double>(session, o.iteration, fmt::format("PageRank of {}", lab::label(source)),
                          r, x, record);
}

}  // namespace

void add_pagerank(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  Command c = parser.add("pagerank", "Rank the nodes of a graph");
  c.needs("GRAPH", o->matrix,
          "A file, gen:SPEC or like:NAME: an entry is an edge from its row to its column")
      .number("--top", "N", o->top, 0, 1'000'000, "Show the N nodes of highest rank (default 20)")
      .option("--damping", "D", o->damping, "The share that follows edges (default 0.85)")
      .option("--personalisation", "FILE", o->personalisation,
              "Weights of the nodes where a walk starts anew (default: all alike)");
  c.flag("--unweighted", o->unweighted, "Every entry is an edge of weight 1, whatever its value");
  add_iteration_options(c, o->iteration, "Of what all ranks together change by (default 1e-10)",
                        "Write all ranks to FILE (.mtx or .npy)")
      .device()
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero pagerank G.mtx --top 20\n"
          "  nonzero pagerank gen:rmat:scale=12 --unweighted -o ranks.npy")
      .runs([&session, o] { return run(session, *o); });
}

}  // namespace nz::cli
