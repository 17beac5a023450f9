#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "base/caches.hpp"
#include "base/size_text.hpp"
#include "cli/commands.hpp"
#include "cli/demo_emulated.hpp"
#include "cli/kernels.hpp"
#include "cli/progress.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/bench/gpu_timing.hpp"
#include "lab/bench/record.hpp"
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
      {"check your.mtx", "every CPU kernel on your own matrix, checked"},
      {"run your.mtx -o y.mtx", "multiply it"},
      {"devices", "where kernels can run"},
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
         {"device", t.device.name()},
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
  if (!t.hot.samples.empty()) r["hot_seconds"] = t.hot.median();
  if (t.timing.samples.empty()) return r;
  r["seconds"] = t.timing.median();
  r["samples"] = t.timing.samples.size();
  r["bytes_per_second"] = bytes_per_second(t);
  r["bandwidth_share"] = bytes_per_second(t) / bandwidth;
  return r;
}

std::vector<lab::Cell> row(const std::string& matrix, const Trial& t, double bandwidth) {
  std::vector<lab::Cell> cells{matrix, t.kernel->id()};
  if (t.status == Status::ok) {
    cells.emplace_back(name(t.op));
    const bool timed = !t.timing.samples.empty();
    cells.emplace_back(timed ? lab::seconds_text(t.timing.median()) : "-");
    cells.emplace_back(timed ? lab::rate_text(bytes_per_second(t)) : "-");
    cells.emplace_back(timed ? lab::percent_text(bytes_per_second(t) / bandwidth) : "-");
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
std::vector<Trial> perform(const Kernel& kernel, Device device, auto& stage,
                           const lab::Budget& budget) {
  lab::Attempt attempt{.device = device, .budget = budget};
  if (kernel.transposes) attempt.ops.push_back(Op::transpose);
  std::vector<Trial> trials = stage.perform(kernel, attempt);
  if (!trials.front().prepared) trials.resize(1);
  return trials;
}

// Our own kernels that run there.
std::vector<const Kernel*> own_kernels(Device device) {
  auto all = match_kernels("*");
  std::erase_if(all,
                [&](const Kernel* k) { return !is_own(*k) || !k->runs_on_device(device.kind); });
  return all;
}

// A device to run on, with what is known of it.
struct Place {
  Device device;
  std::vector<const Kernel*> kernels;
  lab::Bandwidth memory;
  lab::Budget budget;
};

// The CPU, and the first GPU where there is one.
std::vector<Place> places(bool small) {
  std::vector<Place> all;
  status("measuring the memory bandwidth");
  constexpr std::size_t little = 16u << 20;
  all.push_back({cpu_device, own_kernels(cpu_device),
                 small ? lab::measure_bandwidth(little) : lab::measure_bandwidth(),
                 small ? lab::Budget{0, 0.002} : lab::Budget{}});
  if (why_no_cuda().empty()) {
    const Device gpu{Device::Kind::cuda, 0};
    all.push_back({gpu, own_kernels(gpu), lab::measure_bandwidth(gpu, small ? little : 0),
                   small ? lab::Budget{0, 0.002} : lab::Budget{0.005, 0.03}});
  }
  return all;
}

Json record(const lab::Bandwidth& b) {
  Json r{{"device", b.device}, {"read_bytes_per_second", b.read}};
  if (b.device == "cpu")
    r["triad_bytes_per_second"] = b.triad;
  else
    r["copy_bytes_per_second"] = b.copy;
  r["array_bytes"] = b.array_bytes;
  r["threads"] = b.threads;
  return r;
}

// What the demonstration comes to.
struct Findings {
  bool times = true;  // they mean something
  std::size_t products = 0, wrong = 0;
  std::string plans;  // a line for each matrix and device
  Json planned = Json::array();
};

// What a plan takes for the matrix, and what that gains over plain CSR.
void judge_plan(const Place& place, const std::string& label, auto& stage,
                const std::optional<double>& plain_seconds, Findings& findings) {
  auto plans = match_kernels("plan/balanced/n");
  std::erase_if(plans, [&](const Kernel* k) { return !k->runs_on_device(place.device.kind); });
  if (plans.empty()) return;
  const Trial t =
      stage.perform(*plans.front(), {.device = place.device, .budget = place.budget}).front();
  findings.products += t.status == Status::ok || t.status == Status::wrong;
  findings.wrong += t.status == Status::wrong;
  if (t.status != Status::ok)
    findings.plans += fmt::format("{:<7} on {} a plan is {}: {}\n", label, place.device.name(),
                                  name(t.status), t.reason);
  if (t.status != Status::ok || t.timing.samples.empty()) return;
  const std::string taken = t.plan.substr(0, t.plan.find_first_of(" :"));
  Json r{{"matrix", label},
         {"device", place.device.name()},
         {"kernel", taken},
         {"seconds", t.timing.median()}};
  if (plain_seconds) r["plain_seconds"] = *plain_seconds;
  findings.plans += fmt::format("{:<7} on {} a plan takes {}", label, place.device.name(), taken);
  if (findings.times)
    findings.plans +=
        fmt::format(": {}, {} of the memory's speed", lab::seconds_text(t.timing.median()),
                    lab::percent_text(bytes_per_second(t) / place.memory.read));
  if (findings.times && plain_seconds)
    findings.plans +=
        fmt::format(", {:.1f} times as fast as plain CSR", *plain_seconds / t.timing.median());
  findings.plans += "\n";
  findings.planned.push_back(std::move(r));
}

// Every kernel of the place on the matrix, then a plan.
void show(const Place& place, const std::string& label, auto& stage, lab::Table& table, Json& r,
          Findings& findings) {
  status("running {} on {}",
         lab::plural(static_cast<std::int64_t>(place.kernels.size()), "kernel", "kernels"),
         place.device.name());
  ProgressBar bar("running");
  std::uint64_t done = 0;
  std::optional<double> plain_seconds;
  for (const Kernel* k : place.kernels) {
    bar.update(done++, place.kernels.size(), k->id());
    for (const Trial& t : perform(*k, place.device, stage, place.budget)) {
      findings.products += t.status == Status::ok || t.status == Status::wrong;
      findings.wrong += t.status == Status::wrong;
      if (k->id() == lab::plain_csr(place.device.kind) && t.op == Op::none &&
          !t.timing.samples.empty())
        plain_seconds = t.timing.median();
      table.add(row(label, t, place.memory.read));
      r.push_back(record(label, t, place.memory.read));
    }
  }
  judge_plan(place, label, stage, plain_seconds, findings);
}

// The kernels for GPUs where there is none; what it says goes into the verdict.
std::string emulated(const Session& session, Json& r, bool& right) {
  if (own_kernels(emulator_device).empty()) return "";
  status("verifying the GPU kernels on the emulator");
  const EmulatedPart part = demo_on_emulator(session);
  r["emulated"] = part.results;
  right = right && part.right;
  if (part.right)
    return fmt::format(", and those of {} kernels for GPUs, on the emulator for lack of a GPU ({})",
                       part.kernels, why_no_cuda());
  session.say("\nKernels for GPUs that fail on the emulator, {}:\n\n", part.matrix);
  session.print(part.failures);
  return "; kernels for GPUs fail on the emulator";
}

std::string memory_text(const std::vector<Place>& all, std::size_t cache) {
  std::string text;
  for (const Place& p : all)
    text += p.device == cpu_device
                ? fmt::format("memory  {} GB/s read with {}; last-level cache {}\n",
                              lab::rate_text(p.memory.read),
                              lab::plural(p.memory.threads, "thread", "threads"),
                              size_text(static_cast<double>(cache)))
                : fmt::format("{:<7} {} GB/s read, {} GB/s copied\n", p.device.name(),
                              lab::rate_text(p.memory.read), lab::rate_text(p.memory.copy));
  return text;
}

int demo(const Session& session, bool small) {
  const std::size_t cache = last_level_cache_bytes();
  const std::vector<Place> all = places(small);
  Json r{{"memory", record(all.front().memory)},
         {"cache_bytes", cache},
         {"matrices", Json::array()},
         {"results", Json::array()}};
  if (all.size() > 1) r["gpu_memory"] = record(all.back().memory);
  lab::Table table({{"matrix"},
                    {"kernel"},
                    {"op"},
                    {"time", Align::right},
                    {"GB/s", Align::right},
                    {"of memory", Align::right},
                    {"result"}});
  std::string matrices;
  Findings findings{.times = !small};
  for (const lab::Exhibit& exhibit : lab::exhibits(cache, small)) {
    status("generating {} ({})", exhibit.meaning, exhibit.source);
    lab::Source source = session.load(exhibit.source);
    Json about = describe(source);
    about["label"] = exhibit.label;
    about["bytes"] = source.matrix.bytes();
    r["matrices"].push_back(about);
    matrices += fmt::format("{:<7} {}: {}, {} in CSR\n", exhibit.label, exhibit.meaning,
                            shape_text(source.matrix.view()),
                            size_text(static_cast<double>(source.matrix.bytes())));

    const lab::Narrowed a = lab::narrow(std::move(source.matrix));
    if (!r["results"].empty()) table.add_gap();
    const auto on_all = [&](const auto& matrix) {
      lab::Stage stage(matrix.view());
      for (const Place& p : all) show(p, exhibit.label, stage, table, r["results"], findings);
    };
    std::visit(on_all, a);
  }

  session.print(matrices);
  session.print(memory_text(all, cache) + "\n");
  session.print(table);
  session.print(
      "\nGB/s: what the product must move at least, over its median time; of memory: its share of "
      "the\nread bandwidth. Every result in double precision, checked row by row against its error "
      "bound.\n");
  bool right = findings.wrong == 0;
  const std::string on_emulator = all.size() == 1 ? emulated(session, r, right) : "";
  session.print("\n" + findings.plans);
  if (findings.wrong == 0)
    session.say("\nAll {} products are right{}.\n", findings.products, on_emulator);
  else
    session.say("\n{} of {} products are WRONG{}.\n", findings.wrong, findings.products,
                on_emulator);
  r["plans"] = findings.planned;
  r["right"] = right;
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
