#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/solve.hpp>

#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/power.hpp"
#include "cli/session.hpp"
#include "cli/solving.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string matrix;
  double laziness = 0;
  bool normalise = false;
  IterationOptions iteration{.tolerance = 1e-10};
};

// Each row over its sum: weights, or counts of what was seen, become probabilities.
void normalise(const std::string& name, Csr<double, std::int64_t>& a) {
  for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i) {
    double sum = 0;
    const auto begin = static_cast<std::size_t>(a.offsets[i]),
               end = static_cast<std::size_t>(a.offsets[i + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      if (!(a.values[k] >= 0))
        throw BadInput(fmt::format("{}: row {} (counting from 1) has {}: no probability is below 0",
                                   name, i + 1, a.values[k]));
      sum += a.values[k];
    }
    if (!(sum > 0) || !std::isfinite(sum))
      throw BadInput(
          fmt::format("{}: row {} (counting from 1) adds up to {}: --normalise needs states that "
                      "are left for another one",
                      name, i + 1, sum));
    for (std::size_t k = begin; k < end; ++k) a.values[k] /= sum;
  }
}

std::string advice(const solve::Result& r, const Options& o, bool negative) {
  if (r.reason == solve::Stop::not_stochastic && negative)
    return "a chain without entries below 0: --normalise refuses them, too";
  if (r.reason == solve::Stop::not_stochastic) return "--normalise divides each row by its sum";
  if (r.reason != solve::Stop::iteration_limit) return "";
  return fmt::format("limit of {} iterations reached at {:.1g}: --max-iterations{}", r.iterations,
                     r.residual,
                     o.laziness > 0 ? "" : ", or --laziness 0.5 where the chain has a period");
}

int run(const Session& session, const Options& o) {
  check_options(session, o.iteration, {{"CHAIN", file_of_matrix(o.matrix)}});
  if (!(o.laziness >= 0 && o.laziness < 1))
    throw InvalidArgument(fmt::format("--laziness: {} is not at least 0 and below 1", o.laziness));
  const Device device = session.where();
  lab::Source source = session.load(o.matrix);
  require_square(source, "a Markov chain");
  if (o.normalise) normalise(lab::label(source), source.matrix);
  const bool negative = std::any_of(source.matrix.values.begin(), source.matrix.values.end(),
                                    [](double v) { return v < 0; });
  nlohmann::ordered_json record = describe(source);
  Array<double> x = first_distribution(o.iteration, source.matrix.rows);
  const auto p = plan(transpose(source.matrix.view()), {.device = device});
  solve::StationaryOptions options;
  set_power_options(options, o.iteration, 10'000);
  options.laziness = o.laziness;
  const Iterated done = [&] {
    Watched<double> watched("stationary", o.iteration, device, x);
    options.callback = watched.callback();
    return watched.finish(solve::stationary(p, watched.x(), options));
  }();
  const solve::Result& r = done.result;
  std::string lines = fmt::format("{:<9} {} ({}, {})\n", "chain", lab::label(source),
                                  lab::plural(source.matrix.rows, "state", "states"),
                                  lab::plural(source.matrix.nnz(), "transition", "transitions"));
  lines += fmt::format("{:<9} {} on {}\n", "kernel", p.kernel().id(), p.device().name());
  std::size_t most = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] > x[most]) most = i;
  if (r.ok())
    lines += fmt::format("{:<9} state {} (counting from 1), probability {:.6g}\n", "likeliest",
                         most + 1, x[most]);
  if (r.ok() && source.file && !source.note.empty())
    lines += fmt::format("{:<9} the file is an {}\n", "", source.note);
  record["device"] = p.device().name();
  record["laziness"] = o.laziness;
  record["normalised"] = o.normalise;
  if (r.ok()) record["likeliest"] = {{"state", most}, {"probability", x[most]}};
  return conclude<double>(session, o.iteration,
                          {fmt::format("Stationary distribution of {}", title_of(source)),
                           std::move(lines), advice(r, o, negative)},
                          done, x, record);
}

}  // namespace

void add_stationary(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  Command c = parser.add("stationary", "Find the stationary distribution of a Markov chain");
  c.needs("CHAIN", o->matrix, "A file, gen:SPEC or like:NAME, whose rows add up to 1")
      .option("--laziness", "L", o->laziness,
              "The probability of staying, for chains with a period (default 0)")
      .flag("--normalise,--normalize", o->normalise,
            "Divide each row by its sum first: counts and weights become probabilities");
  add_iteration_options(c, o->iteration, "Of what all probabilities change by (default 1e-10)",
                        "Give up after N iterations (default 10000)",
                        "Write the distribution to FILE (.mtx or .npy), or to stdout (-), as .mtx")
      .device()
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero stationary P.mtx -o distribution.mtx\n"
          "  nonzero stationary gen:block-band:n=400,block=4,density=0.2\n"
          "  nonzero stationary counts.mtx --normalise --laziness 0.1")
      .runs([&session, o] {
        session.stdout_has_data = puts_data_on_stdout(o->iteration);
        return run(session, *o);
      });
}

}  // namespace nz::cli
