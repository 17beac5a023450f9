#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/bench/bandwidth.hpp"
#include "lab/bench/showcase.hpp"
#include "lab/bench/trial.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;
using lab::Align;
using lab::Status;
using lab::Tone;
using lab::Trial;

std::string where_next(const std::string& program) {
  constexpr std::pair<const char*, const char*> commands[] = {
      {"spy gen:mycielskian", "see where a matrix has its nonzeros"},
      {"info like:ecology1", "what a matrix looks like, and takes in every format"},
      {"check your.mtx", "every kernel on your own matrix, checked"},
      {"run your.mtx -o y.mtx", "multiply it"},
      {"list", "the kernels, and the papers they come from"},
      {"gen --list", "the matrices it can generate"}};
  std::string text = "\nWhere to go next:\n";
  for (const auto& [command, meaning] : commands)
    text += fmt::format("  {} {:<22}  {}\n", program, command, meaning);
  return text;
}

double bytes_per_second(const Trial& t) {
  return static_cast<double>(t.traffic) / t.timing.median();
}

Json record(const std::string& matrix, const Trial& t, double bandwidth) {
  Json r{{"matrix", matrix},
         {"kernel", t.kernel->id()},
         {"format", t.kernel->format},
         {"outcome", t.status == Status::ok ? "right" : name(t.status)}};
  if (!t.reason.empty()) r["reason"] = t.reason;
  if (t.status == Status::refused || t.status == Status::failed) return r;
  r["op"] = name(t.op);
  r["type"] = name(t.type);
  r["worst_error"] = t.worst_error;
  r["prepare_seconds"] = t.prepare_seconds;
  r["bytes"] = t.bytes;
  if (t.status != Status::ok) return r;
  r["traffic_bytes"] = t.traffic;
  r["seconds"] = t.timing.median();
  r["samples"] = t.timing.samples.size();
  r["bytes_per_second"] = bytes_per_second(t);
  r["bandwidth_share"] = bytes_per_second(t) / bandwidth;
  return r;
}

std::vector<lab::Cell> row(const std::string& matrix, const Trial& t, double bandwidth) {
  std::vector<lab::Cell> cells{matrix, t.kernel->id(), t.kernel->format};
  if (t.status == Status::ok) {
    cells.emplace_back(name(t.op));
    cells.emplace_back(lab::seconds_text(t.timing.median()));
    cells.emplace_back(lab::rate_text(bytes_per_second(t)));
    cells.emplace_back(lab::percent_text(bytes_per_second(t) / bandwidth));
    cells.emplace_back("right", Tone::good);
    return cells;
  }
  const bool wrong = t.status == Status::wrong;
  cells.emplace_back(wrong ? name(t.op) : "-");
  for (int i = 0; i < 3; ++i) cells.emplace_back("-");
  cells.emplace_back(fmt::format("{}: {}", wrong ? "WRONG" : name(t.status), t.reason),
                     wrong ? Tone::bad : Tone::dim);
  return cells;
}

// N and, where the kernel has it, T; what cannot even be prepared is one trial.
std::vector<Trial> perform(const Kernel& kernel, auto& stage, const lab::Budget& budget) {
  lab::Attempt attempt{.budget = budget};
  if (kernel.transposes) attempt.ops.push_back(Op::transpose);
  std::vector<Trial> trials = stage.perform(kernel, attempt);
  if (!trials.front().prepared) trials.resize(1);
  return trials;
}

int demo(const Session& session, bool small) {
  const std::size_t cache = lab::last_level_cache_bytes();
  status("measuring the memory bandwidth");
  const lab::Bandwidth memory =
      small ? lab::measure_bandwidth(16u << 20) : lab::measure_bandwidth();
  Json r{{"memory",
          {{"read_bytes_per_second", memory.read},
           {"triad_bytes_per_second", memory.triad},
           {"array_bytes", memory.array_bytes},
           {"threads", memory.threads}}},
         {"cache_bytes", cache},
         {"matrices", Json::array()},
         {"results", Json::array()}};
  lab::Table table({{"matrix"},
                    {"kernel"},
                    {"format"},
                    {"op"},
                    {"time", Align::right},
                    {"GB/s", Align::right},
                    {"of memory", Align::right},
                    {"result"}});
  std::string matrices;
  bool right = true;
  auto kernels = nz::kernels();
  std::erase_if(kernels, [](const Kernel& k) { return k.device == "peer"; });
  for (const lab::Exhibit& exhibit : lab::exhibits(cache, small)) {
    status("generating {} ({})", exhibit.meaning, exhibit.source);
    lab::Source source = session.load(exhibit.source);
    Json about = describe(source);
    about["label"] = exhibit.label;
    about["bytes"] = source.matrix.bytes();
    r["matrices"].push_back(about);
    matrices += fmt::format("{:<7} {}: {}, {} in CSR\n", exhibit.label, exhibit.meaning,
                            shape_text(source.matrix.view()),
                            lab::bytes_text(static_cast<double>(source.matrix.bytes())));

    const lab::Narrowed a = lab::narrow(std::move(source.matrix));
    const lab::Budget budget = small ? lab::Budget{0, 0.002} : lab::Budget{};
    status("running {} on it",
           lab::plural(static_cast<std::int64_t>(kernels.size()), "kernel", "kernels"));
    ProgressBar bar("running");
    std::uint64_t done = 0;
    if (!r["results"].empty()) table.add_gap();
    const auto run_all = [&](const auto& matrix) {
      lab::Stage stage(matrix.view());
      for (const Kernel& k : kernels) {
        bar.update(done++, kernels.size(), k.id());
        for (const Trial& t : perform(k, stage, budget)) {
          right = right && t.status != Status::wrong;
          table.add(row(exhibit.label, t, memory.read));
          r["results"].push_back(record(exhibit.label, t, memory.read));
        }
      }
    };
    std::visit(run_all, a);
  }
  r["right"] = right;

  session.print(matrices);
  session.say("memory  {} GB/s read with {}; last-level cache {}\n\n", lab::rate_text(memory.read),
              lab::plural(memory.threads, "thread", "threads"),
              lab::bytes_text(static_cast<double>(cache)));
  session.print(table);
  session.print(
      "\nGB/s: what the product must move at least, over its median time; of memory: its share of "
      "the\nread bandwidth. Every result in double precision, checked row by row against its error "
      "bound.\n");
  session.print(where_next(session.program));
  session.write(r);
  return right ? ok : check_failed;
}

}  // namespace

void add_demo(Parser& parser, Session& session) {
  auto small = std::make_shared<bool>(false);
  parser.add("demo", "Generate two matrices, run and check every kernel on them")
      .flag("--small", *small, "Tiny matrices: quick, and the times mean little")
      .json()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero demo\n"
          "  nonzero demo --threads 1 --json demo.json")
      .runs([&session, small] { return demo(session, *small); });
}

}  // namespace nz::cli
