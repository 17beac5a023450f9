#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/solve.hpp>

#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/solving.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string matrix;
  double laziness = 0;
  IterationOptions iteration{.tolerance = 1e-10, .max_iterations = 10'000};
};

int run(const Session& session, const Options& o) {
  check_outputs(o.iteration);
  const Device device = session.where();
  const lab::Source source = session.load(o.matrix);
  nlohmann::ordered_json record = describe(source);
  const auto p = plan(transpose(source.matrix.view()), {.device = device});
  Array<double> x(static_cast<std::size_t>(source.matrix.rows));
  solve::StationaryOptions options;
  options.tolerance = o.iteration.tolerance;
  options.max_iterations = o.iteration.max_iterations;
  options.check_every = o.iteration.check_every;
  options.transposed = true;
  options.laziness = o.laziness;
  const solve::Result r = [&] {
    ResidualLine line("stationary");
    options.callback = line.callback();
    return solve::stationary(p, x, options);
  }();
  session.say("{:<9} {} ({} states, {} transitions)\n", "chain", lab::label(source),
              lab::count_text(source.matrix.rows), lab::count_text(source.matrix.nnz()));
  session.say("{:<9} {} on {}\n", "kernel", p.kernel().id(), p.device().name());
  std::size_t most = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] > x[most]) most = i;
  if (r.ok()) session.say("{:<9} state {}, probability {:.6g}\n", "likeliest", most + 1, x[most]);
  record["device"] = p.device().name();
  record["laziness"] = o.laziness;
  if (r.ok()) record["likeliest"] = {{"state", most + 1}, {"probability", x[most]}};
  return conclude<double>(session, o.iteration,
                          fmt::format("Stationary distribution of {}", lab::label(source)), r, x,
                          record);
}

}  // namespace

void add_stationary(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  Command c = parser.add("stationary", "Find the stationary distribution of a Markov chain");
  c.needs("CHAIN", o->matrix, "A file, gen:SPEC or like:NAME, whose rows add up to 1")
      .option("--laziness", "L", o->laziness,
              "The probability of staying, for chains with a period (default 0)");
  add_iteration_options(c, o->iteration, "Of what all probabilities change by (default 1e-10)",
                        "Write the distribution to FILE (.mtx or .npy)")
      .device()
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero stationary P.mtx -o distribution.mtx\n"
          "  nonzero stationary gen:block-band:n=400,block=4,density=0.2")
      .runs([&session, o] { return run(session, *o); });
}

}  // namespace nz::cli
