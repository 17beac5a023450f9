#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/papers/experiments.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string name;
  std::string markdown;
  lab::ExperimentOptions experiment;
};

void list(const Session& session) {
  lab::Table table({{"experiment"}, {"summary"}});
  for (const lab::Experiment& e : lab::experiments()) table.add({e.name, e.summary});
  session.print(table);
}

void print(const Session& session, const lab::Reproduction& r) {
  const bool colour = session.colour();
  session.say("{}\n", lab::toned(r.title, lab::Tone::bold, colour));
  for (const std::string& fact : r.facts) session.say("  {}\n", fact);
  for (const lab::Comparison& c : r.tables) {
    session.say("\n{}\n", lab::toned(c.title, lab::Tone::bold, colour));
    session.print(lab::table_of(c));
    for (const std::string& note : c.notes) session.say("{}\n", note);
  }
  session.print("\n");
  session.print(lab::table_of(r.claims));
}

void write_markdown(const std::string& path, const lab::Reproduction& r) {
  std::ofstream file(path, std::ios::binary);
  file << lab::markdown(r);
  file.close();
  if (!file) throw BadInput(fmt::format("{}: cannot write", path));
}

int reproduce(const Session& session, const Options& o) {
  if (o.name.empty()) {
    list(session);
    return ok;
  }
  const lab::Experiment& experiment = lab::find_experiment(o.name);
  if (o.experiment.budget.seconds < 0)
    throw InvalidArgument(fmt::format("--seconds {}: below 0", o.experiment.budget.seconds));
  lab::ExperimentOptions options = o.experiment;
  lab::Reproduction r;
  {
    ProgressBar bar("measuring");
    options.tell = [&](std::uint64_t done, std::uint64_t total, std::string_view what) {
      bar.update(done, total, what);
    };
    r = experiment.run(options);
  }
  print(session, r);
  if (!o.markdown.empty()) write_markdown(o.markdown, r);
  nlohmann::ordered_json record = lab::to_json(r);
  record["experiment"] = o.name;
  record["scale"] = options.scale;
  record["seconds"] = options.budget.seconds;
  session.write(record);
  for (const auto& result : r.results)
    if (result["status"] == "wrong") return check_failed;
  return ok;
}

}  // namespace

void add_reproduce(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("reproduce", "Repeat an experiment of a paper: its tables, with our figures beside")
      .takes("EXPERIMENT", o->name, "Which; without it, a list")
      .option("--scale", "S", o->experiment.scale,
              "Size of the matrices as a share of the paper's (default 1)")
      .option("--seconds", "S", o->experiment.budget.seconds,
              "Measuring time of one figure (default 0.4)")
      .flag("--all", o->experiment.all, "Also what takes minutes and many gigabytes")
      .option("--markdown", "FILE", o->markdown, "Write the tables as Markdown, too")
      .json()
      .threads()
      .notes(
          "Threads go up to twice --threads, as in chirila2025.\n\n"
          "Examples:\n"
          "  nonzero reproduce\n"
          "  nonzero reproduce chirila2025-cpu --markdown tables.md\n"
          "  nonzero reproduce chirila2025-cpu --scale 0.25 --json -")
      .runs([&session, o] { return reproduce(session, *o); });
}

}  // namespace nz::cli
