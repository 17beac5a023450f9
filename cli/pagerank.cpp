#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
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
void require_weights(const CsrView<double, std::int64_t>& a) {
  for (index_t i = 0; i < a.rows; ++i)
    for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      if (!(a.values[k] >= 0) || !std::isfinite(a.values[k]))
        throw BadInput(fmt::format(
            "PageRank: the edge from {} to {} (counting from 1) weighs {}: weights are at least 0; "
            "--unweighted takes every entry for an edge of weight 1",
            i + 1, a.columns[k] + 1, a.values[k]));
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
  require_weights(source.matrix.view());
  nlohmann::ordered_json record = describe(source);
  const auto n = static_cast<std::size_t>(source.matrix.rows);
  Array<double> start;
  if (!o.personalisation.empty())
    start = vector_of_length<double>(o.personalisation, source.matrix.rows, "personalisation");
  Array<double> x = first_distribution(o.iteration, source.matrix.rows);
  // The transpose pays within a few iterations.
  const auto p = plan(transpose(source.matrix.view()), {.device = device});
  solve::PageRankOptions<double> options;
  set_power_options(options, o.iteration, 1000);
  options.damping = o.damping;
  options.personalisation = start;
  const Iterated done = [&] {
    Watched<double> watched("PageRank", o.iteration, device, x);
    options.callback = watched.callback();
    return watched.finish(solve::pagerank(p, watched.x(), options));
  }();
  const solve::Result& r = done.result;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto shown = static_cast<std::ptrdiff_t>(std::min(n, static_cast<std::size_t>(o.top)));
  std::partial_sort(
      order.begin(), order.begin() + shown, order.end(),
      [&](std::size_t a, std::size_t b) { return x[a] > x[b] || (x[a] == x[b] && a < b); });
  std::string lines =
      fmt::format("{:<9} {} ({} nodes, {} edges)\n", "graph", lab::label(source),
                  lab::count_text(source.matrix.rows), lab::count_text(source.matrix.nnz()));
  lines += fmt::format("{:<9} {} on {}\n", "kernel", p.kernel().id(), p.device().name());
  lab::Table table({{"", lab::Align::right}, {"node", lab::Align::right}, {"rank"}});
  record["top"] = nlohmann::ordered_json::array();
  for (std::ptrdiff_t i = 0; i < shown; ++i) {
    const std::size_t node = order[static_cast<std::size_t>(i)];
    table.add(
        {fmt::format("{}", i + 1), fmt::format("{}", node + 1), fmt::format("{:.6g}", x[node])});
    record["top"].push_back({{"node", node}, {"rank", x[node]}});
  }
  lines += table.text(session.colour(), session.width());
  if (shown > 0) {
    lines += "Nodes count from 1, as in Matrix Market files; in JSON from 0.\n";
    if (source.file && !source.note.empty())
      lines += fmt::format("The file is an {}.\n", source.note);
  }
  record["damping"] = o.damping;
  record["device"] = p.device().name();
  return conclude<double>(
      session, o.iteration,
      {fmt::format("PageRank of {}", lab::label(source)), std::move(lines), advice(r)}, done, x,
      record);
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
              "Weights of the nodes where a walk starts anew (default: all alike)");
  c.flag("--unweighted", o->unweighted, "Every entry is an edge of weight 1, whatever its value");
  add_iteration_options(c, o->iteration, "Of what all ranks together change by (default 1e-10)",
                        "Give up after N iterations (default 1000)",
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
