#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

#include "cli/attempts.hpp"
#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "cli/outputs.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "cli/reproduced.hpp"
#include "cli/session.hpp"
#include "cli/stdout_data.hpp"
#include "cli/terminal.hpp"
#include "lab/bench/cache.hpp"
#include "lab/papers/coverage.hpp"
#include "lab/papers/experiments.hpp"
#include "lab/papers/recall.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string name;
  std::string markdown, folder, cache, from;
  double seconds = std::numeric_limits<double>::quiet_NaN();  // the experiment's own
  double time_limit = std::numeric_limits<double>::infinity();
  bool resume = false, coverage = false, single = false;
  int batch = 0;  // 0: the experiment's own
  lab::ExperimentOptions experiment;
};

void list(const Session& session) {
  lab::Table table({{"experiment"}, {"runs on"}, {"summary"}});
  for (const lab::Experiment& e : lab::experiments()) {
    using enum lab::Experiment::Needs;
    table.add({e.name, e.needs == cpu ? "CPU" : e.needs == gpu ? "GPU" : "CPU and GPU", e.summary});
  }
  session.print(table);
  session.print("A paper's name runs all of its experiments; all runs every one.\n");
}

std::string text_of(const Session& session, const lab::Reproduction& r) {
  const bool colour = session.colour();
  const auto drawn = [&](const lab::Table& t) { return t.text(colour, session.width()); };
  std::string text = lab::toned(r.title, lab::Tone::bold, colour) + '\n';
  for (const std::string& fact : r.facts) text += fmt::format("  {}\n", fact);
  for (const lab::Comparison& c : r.tables) {
    text += fmt::format("\n{}\n", lab::toned(c.title, lab::Tone::bold, colour));
    text += drawn(lab::table_of(c)) + lab::bars_of(c);
    for (const std::string& note : c.notes) text += note + '\n';
  }
  return text + '\n' + drawn(lab::table_of(r.claims));
}

// Where an experiment runs, or why it does not.
struct Place {
  std::optional<Device> device;
  std::string why_not;
};

// Where --device says, else where the experiment belongs. An experiment that was asked for by its
// own name runs or throws; among others it may be left out.
Place place_of(const Session& session, const lab::Experiment& e, bool among_others) {
  using enum lab::Experiment::Needs;
  const bool said = !session.device.empty();
  if (e.needs == cpu) {
    if (said && !among_others && session.where() != cpu_device)
      throw InvalidArgument(
          fmt::format("{} runs on the CPU, not on {}", e.name, session.where().name()));
    return {cpu_device, {}};
  }
  try {
    const Device device = said ? session.where() : device_named("cuda:0");
    if (e.needs == either || device != cpu_device) return {device, {}};
    const std::string reason =
        fmt::format("{} runs on a GPU or on the emulator, not on cpu", e.name);
    if (!among_others) throw InvalidArgument(reason);
    return {{}, reason};
  } catch (const NoResource& error) {
    if (!said && e.needs == gpu && !among_others)
      throw NoResource(
          fmt::format("{} runs on a GPU, and there is none ({}); --device emu verifies its kernels "
                      "on the emulator, best with --scale 0.001",
                      e.name, error.what()));
    if (said) throw;
    const std::string reason = fmt::format("no device: {}", error.what());
    return e.needs == either ? Place{cpu_device, error.what()} : Place{{}, reason};
  }
}

// Ctrl-C or SIGTERM, between two figures of an experiment that has no place to be kept.
struct Interrupted {};

bool interrupted() { return Interruptible::noted() != 0; }

// Neither --markdown nor --json is replaced by a part.
void say_how_to_go_on(const Options& o, std::string_view at, std::size_t left) {
  if (o.folder.empty())
    complain("interrupted in {}, of which nothing is kept; --out DIR would keep what is measured",
             at);
  else
    complain("interrupted in {}, with {} left; --out {} --resume goes on with it", at,
             lab::plural(left, "figure", "figures"), o.folder);
}

// `before`: the part of it that is done.
Reproduced run(const Session& session, const Options& o, const lab::Experiment& e,
               const Place& place, const std::optional<Reproduced>& before) {
  lab::ExperimentOptions options = o.experiment;
  std::optional<lab::Recall> known;
  if (before) options.parts.before = &known.emplace(before->record, o.folder);
  options.cache = o.cache.empty() ? lab::usual_cache().string() : o.cache;
  if (!std::isnan(o.seconds)) options.budget.seconds = options.gpu_budget.seconds = o.seconds;
  options.device = *place.device;
  options.no_device = place.why_not;
  const auto start = std::chrono::steady_clock::now();
  lab::Reproduction r;
  {
    ProgressBar bar(std::string(e.name));
    // What was measured until then is kept as a part of the run, where there is a place for it.
    const bool kept = !o.folder.empty();
    if (kept) options.parts.stopped = interrupted;
    options.tell = [&](std::uint64_t done, std::uint64_t total, std::string_view what) {
      if (!kept && interrupted()) throw Interrupted{};
      bar.update(done, total, what);
    };
    r = e.run(options);
  }
  Reproduced one{.name = std::string(e.name)};
  one.record = lab::to_json(r);
  one.record["experiment"] = e.name;
  one.record["scale"] = options.scale;
  one.record["seconds"] =
      options.device == cpu_device ? options.budget.seconds : options.gpu_budget.seconds;
  one.record["took_s"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  one.markdown = lab::markdown(r);
  if (!o.folder.empty()) keep(o.folder, one);
  session.print(text_of(session, r), !o.folder.empty() || !o.markdown.empty());
  return one;
}

// Throws where results have no place to go, before the work.
void require_outputs(const Session& session, const Options& o) {
  if (!o.folder.empty()) {
    std::filesystem::create_directories(o.folder);
    require_output((std::filesystem::path(o.folder) / "all.json").string());
  }
  const NamedFile record[]{{"--from", o.from}};
  require_apart({{"--markdown", o.markdown}, {"--json", session.json}}, record);
  require_output(o.markdown);
}

// Tables and conclusions of a record, made anew.
int retell(const Session& session, const Options& o) {
  require_outputs(session, o);
  std::ifstream file(o.from, std::ios::binary);
  if (!file) throw BadInput(fmt::format("{}: cannot be read", o.from));
  const lab::Recall recall(nlohmann::ordered_json::parse(file, nullptr, false), o.from);
  const std::string name = recall.experiment();
  const auto found = lab::find_experiments(name);
  if (found.size() != 1)
    throw BadInput(fmt::format("{}: names no single experiment, but '{}'", o.from, name));
  const lab::Experiment& e = *found.front();
  if (!o.name.empty() && o.name != e.name && o.name != e.paper)
    throw InvalidArgument(fmt::format("{} is a record of {}, not of {}", o.from, e.name, o.name));
  const auto kept_as = std::filesystem::path(o.folder) / (name + ".json");
  const NamedFile record[]{{"--from", o.from}};
  if (!o.folder.empty()) require_apart({{"--out", kept_as.string()}}, record);
  lab::ExperimentOptions options = o.experiment;
  options.scale = recall.scale();
  options.device = recall.device();
  options.recall = &recall;
  lab::Reproduction r = e.run(options);
  r.facts = lab::retold_facts(recall, r.facts);
  Reproduced one{.name = name};
  one.record = recall.retold(r);
  one.markdown = lab::markdown(r);
  if (!o.folder.empty()) keep(o.folder, one);
  Attempts files;
  if (!o.markdown.empty()) files.attempt([&] { put_text(o.markdown, one.markdown); });
  files.attempt([&] { session.write(one.record); });
  files.attempt([&] { session.print(text_of(session, r)); });
  files.finish();
  return ok;
}

int reproduce(const Session& session, Options o) {
  if (o.coverage) {
    session.print(lab::coverage_table(o.name));
    return ok;
  }
  if (!o.from.empty()) return retell(session, o);
  if (o.name.empty()) {
    list(session);
    return ok;
  }
  const auto chosen = lab::find_experiments(o.name);
  if (o.seconds < 0) throw InvalidArgument(fmt::format("--seconds {}: below 0", o.seconds));
  if (o.single && o.batch > 0) throw InvalidArgument("--batch and --single: only one of them");
  if (o.single || o.batch > 0) o.experiment.batch = o.batch;
  o.experiment.check_scale();
  // Without it everything would be a stand-in, and nobody told.
  const std::string& matrices = o.experiment.matrices;
  if (!matrices.empty() && !std::filesystem::is_directory(matrices))
    throw BadInput(fmt::format("{}: no such folder", matrices));
  if (o.resume && o.folder.empty()) throw InvalidArgument("--resume needs --out DIR");
  const bool limited = std::isfinite(o.time_limit);
  if (!(o.time_limit >= 0)) throw InvalidArgument("--time-limit: must not be negative");
  if (limited && o.folder.empty()) throw InvalidArgument("--time-limit needs --out DIR");
  require_outputs(session, o);
  if (!session.device.empty() && session.where().kind == Device::Kind::emulator &&
      o.experiment.scale >= 1)
    status("the papers' sizes are slow on the emulator; --scale 0.001 verifies the same kernels");
  if (limited)
    o.experiment.parts.until = std::chrono::steady_clock::now() +
                               std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                   std::chrono::duration<double>(std::min(o.time_limit, 1e6)));
  const Interruptible interruptible;
  const bool several = chosen.size() > 1;
  std::vector<Reproduced> all;
  for (const lab::Experiment* e : chosen) {
    const std::string name(e->name);
    const Place place = place_of(session, *e, several);
    if (!place.device) {
      status("{}: {}", name, place.why_not);
      all.push_back({.name = name, .left_out = place.why_not});
      continue;
    }
    std::optional<Reproduced> before;
    if (o.resume)
      before = kept(o.folder, name, place.device->name(), o.experiment.scale, o.experiment.batch);
    if (before && before->left_for_later() == 0) {
      status("{}: {} has it", name, o.folder);
      all.push_back(std::move(*before));
      continue;
    }
    if (several) status("{} on {}", name, place.device->name());
    const auto give_up = [&](const std::string& reason) {
      if (!several) throw;
      status("{}: {}", name, reason);
      all.push_back({.name = name, .left_out = reason, .failed = true});
    };
    try {
      all.push_back(run(session, o, *e, place, before));
      const std::size_t left = all.back().left_for_later();
      if (interrupted()) {
        say_how_to_go_on(o, name, left);
        return 128 + Interruptible::noted();
      }
      if (left > 0)
        status("{}: {} left; --out {} --resume goes on with them", name,
               lab::plural(left, "figure", "figures"), o.folder);
    } catch (const Interrupted&) {
      say_how_to_go_on(o, name, 0);
      return 128 + Interruptible::noted();
    } catch (const NoResource& error) {
      give_up(error.what());
    } catch (const std::bad_alloc&) {
      give_up("not enough memory");
    }
  }
  std::string markdown, left_out;
  bool wrong = false, failed = false;
  for (const Reproduced& one : all) {
    if (!one.ran()) left_out += fmt::format("{}: {}\n", one.name, one.left_out);
    if (one.ran()) markdown += (markdown.empty() ? "" : "\n") + one.markdown;
    wrong = wrong || one.wrong();
    failed = failed || one.failed;
  }
  Attempts files;
  if (!o.markdown.empty()) files.attempt([&] { put_text(o.markdown, markdown); });
  files.attempt([&] { session.write(record_of(all)); });
  if (several)
    files.attempt([&] {
      session.print('\n' + summary(all).text(session.colour(), session.width()) + left_out);
    });
  files.finish();
  return wrong ? check_failed : failed ? no_resource : ok;
}

}  // namespace

void add_reproduce(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("reproduce", "Repeat experiments of the papers: their tables, with our figures beside")
      .takes("EXPERIMENT", o->name, "A paper, one of its experiments, or all; without it, a list")
      .option("--scale", "S", o->experiment.scale,
              "Size of the matrices as a share of the paper's (default 1)")
      .option("--seconds", "S", o->seconds,
              "Measuring time of one figure (default 0.4; on a GPU 0.03)")
      .option("--matrices", "DIR", o->experiment.matrices,
              "Where NAME.mtx (.gz, .zst) or NAME.nzb of the papers' matrices are; what is not\n"
              "there gets a stand-in, marked *")
      .option("--cache", "DIR", o->cache,
              "Keep generated matrices here for the next run (default: $NONZERO_CACHE, or none)")
      .flag("--all", o->experiment.all, "Also what takes minutes and many gigabytes")
      .number("--batch", "N", o->batch, 1, 1'000'000,
              "chirila2025: time N products as a whole, scaled to 200 in tables (default 200)")
      .flag("--single", o->single,
            "chirila2025: time y = A x one by one, not batches with alpha and beta")
      .option("--markdown", "FILE", o->markdown, "Write the tables as Markdown, too; - is stdout")
      .option("--out", "DIR", o->folder,
              "Write each experiment's NAME.json and NAME.md here as soon as it is done")
      .option("--from", "RECORD", o->from,
              "Measure nothing: tell a record again, with the paper's figures and conclusions as\n"
              "they are known today")
      .option("--time-limit", "S", o->time_limit,
              "Begin no other figure after so many seconds; --resume goes on with --out DIR")
      .flag("--coverage", o->coverage,
            "List the parts of the papers, or of one: what is there, differs, is missing")
      .flag("--resume", o->resume,
            "Leave out what --out DIR has already from this program, device, scale and --batch,\n"
            "and go on with what --time-limit has left there")
      .device()
      .json()
      .threads()
      .notes(
          "Threads go up to twice --threads, as in chirila2025. What needs a GPU runs on cuda:0\n"
          "unless --device says otherwise; on emu its kernels are verified and not timed. Without "
          "a\n"
          "device the GPU's part of a paper is left out, and says so.\n\n"
          "Examples:\n"
          "  nonzero reproduce\n"
          "  nonzero reproduce all --out records\n"
          "  nonzero reproduce chirila2025-cpu --scale 0.25 --json -\n"
          "  nonzero reproduce dinoia2025 --device cpu --markdown tables.md\n"
          "  nonzero reproduce messa2025 --device emu --scale 0.001\n"
          "  nonzero reproduce izawa2023 --matrices suitesparse --json h200.json\n"
          "  nonzero reproduce --from h200.json --markdown tables.md")
      .runs([&session, o] {
        session.stdout_has_data = is_stdout(o->markdown);
        return reproduce(session, *o);
      });
}

}  // namespace nz::cli
