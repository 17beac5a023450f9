#include <cmath>
#include <fstream>
#include <limits>
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
  double seconds = std::numeric_limits<double>::quiet_NaN();  // the experiment's own
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

// Where --device says, or where the experiment runs.
Device device_for(const Session& session, const lab::Experiment& e) {
  const bool on_gpu = e.runs_on == Device::Kind::cuda;
  const Device device = session.device.empty() && on_gpu ? device_named("cuda:0") : session.where();
  if (on_gpu == (device == cpu_device))
    throw InvalidArgument(fmt::format("{} runs on {}, not on {}", e.name,
                                      on_gpu ? "a GPU or on the emulator" : "the CPU",
                                      device.name()));
  return device;
}

int reproduce(const Session& session, const Options& o) {
  if (o.name.empty()) {
    list(session);
    return ok;
  }
  const lab::Experiment& experiment = lab::find_experiment(o.name);
  if (o.seconds < 0) throw InvalidArgument(fmt::format("--seconds {}: below 0", o.seconds));
  lab::ExperimentOptions options = o.experiment;
  options.budget.seconds = std::isnan(o.seconds) ? experiment.seconds : o.seconds;
  options.device = device_for(session, experiment);
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
      .option("--seconds", "S", o->seconds,
              "Measuring time of one figure (default 0.4; on a GPU 0.03)")
      .option("--matrices", "DIR", o->experiment.matrices,
              "Where NAME.mtx of izawa2023's matrices are; what is not there gets a stand-in")
      .flag("--all", o->experiment.all, "Also what takes minutes and many gigabytes")
      .option("--markdown", "FILE", o->markdown, "Write the tables as Markdown, too")
      .device()
      .json()
      .threads()
      .notes(
          "Threads go up to twice --threads, as in chirila2025. An experiment for GPUs runs on\n"
          "cuda:0 unless --device says otherwise; on emu its kernels are verified and not "
          "timed.\n\n"
          "Examples:\n"
          "  nonzero reproduce\n"
          "  nonzero reproduce chirila2025-cpu --markdown tables.md\n"
          "  nonzero reproduce chirila2025-cpu --scale 0.25 --json -\n"
          "  nonzero reproduce chirila2025-gpu --json h200.json\n"
          "  nonzero reproduce chirila2025-gpu --device emu --scale 0.01\n"
          "  nonzero reproduce izawa2023 --matrices suitesparse --json h200.json")
      .runs([&session, o] { return reproduce(session, *o); });
}

}  // namespace nz::cli
