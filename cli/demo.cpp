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
using lab::Tone;
using lab::Trial;
using Outcome = lab::Trial::Outcome;

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

Json record(const Trial& t, double bandwidth) {
  Json r{{"matrix", t.matrix},
         {"kernel", t.kernel->id()},
         {"format", t.kernel->format},
         {"outcome", name(t.outcome)}};
  if (!t.reason.empty()) r["reason"] = t.reason;
  if (t.outcome == Outcome::refused || t.outcome == Outcome::no_resource) return r;
  r["op"] = name(t.op);
  r["type"] = "f64";
  r["worst_error"] = t.worst_error;
  r["prepare_seconds"] = t.prepare_seconds;
  r["bytes"] = t.bytes;
  if (t.outcome != Outcome::right) return r;
  r["traffic_bytes"] = t.traffic;
  r["seconds"] = t.seconds;
  r["samples"] = t.samples;
  r["bytes_per_second"] = t.bytes_per_second;
  r["bandwidth_share"] = t.bytes_per_second / bandwidth;
  return r;
}

std::vector<lab::Cell> row(const Trial& t, double bandwidth) {
  std::vector<lab::Cell> cells{t.matrix, t.kernel->id(), t.kernel->format};
  switch (t.outcome) {
    case Outcome::right:
      for (std::string text :
           {std::string(name(t.op)), lab::seconds_text(t.seconds),
            lab::rate_text(t.bytes_per_second), lab::percent_text(t.bytes_per_second / bandwidth)})
        cells.emplace_back(std::move(text));
      cells.emplace_back("right", Tone::good);
      break;
    case Outcome::wrong:
      for (std::string text :
           {std::string(name(t.op)), std::string("-"), std::string("-"), std::string("-")})
        cells.emplace_back(std::move(text));
      cells.emplace_back("WRONG: " + t.reason, Tone::bad);
      break;
    default:
      for (int i = 0; i < 4; ++i) cells.emplace_back("-");
      cells.emplace_back(fmt::format("{}: {}", name(t.outcome), t.reason), Tone::dim);
  }
  return cells;
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
    for (const Kernel& k : kernels) {
      bar.update(done++, kernels.size(), k.id());
      for (const Trial& t : lab::try_kernel(k, exhibit.label, a, budget)) {
        right = right && t.outcome != Outcome::wrong;
        table.add(row(t, memory.read));
        r["results"].push_back(record(t, memory.read));
      }
    }
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
