#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/threads.hpp>

#include "cli/attempts.hpp"
#include "cli/commands.hpp"
#include "cli/kernels.hpp"
#include "cli/lists.hpp"
#include "cli/outputs.hpp"
#include "cli/parser.hpp"
#include "cli/reporter.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/bench/matrix_name.hpp"
#include "lab/bench/sweep.hpp"
#include "lab/report/sweep_text.hpp"

namespace nz::cli {
namespace {

struct Options {
  std::string kernel;
  std::vector<std::string> matrices, parameters;
  std::string ops = "N", types = "f64";
  double time_limit = 0.2;
  int buffer_mib = 0;
  bool times = false;
};

std::vector<lab::Swept> swept_of(const Kernel& kernel, const Options& o) {
  std::map<std::string, std::vector<std::int64_t>> wanted;
  for (const std::string& text : o.parameters) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto known = std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                                    [&](const Parameter& p) { return p.name == name; });
    if (known == kernel.parameters.end())
      throw InvalidArgument(fmt::format("{} has no parameter '{}'; 'nonzero list {}' shows them",
                                        kernel.id(), name, kernel.id()));
    // A name alone asks for the usual values.
    wanted[name] = equals == text.npos ? lab::usual_values(*known)
                                       : lab::parse_values(name, text.substr(equals + 1));
  }
  return lab::swept_parameters(kernel, wanted);
}

int sweep(const Session& session, const Options& o) {
  const Kernel& kernel = find_kernel(o.kernel);
  const std::vector<lab::Swept> swept = swept_of(kernel, o);
  const Device device = device_for(kernel, session.device);
  if (!(o.time_limit >= 0)) throw InvalidArgument("--time-limit: must not be negative");
  lab::Order order{.device = device,
                   .kernels = only_on(device, {&kernel}, o.kernel),
                   .ops = parse_ops(o.ops),
                   .types = parse_types(o.types),
                   .threads = {device == cpu_device ? nz::threads() : 1},
                   .budget = {.warm_up_seconds = std::min(0.01, o.time_limit / 10),
                              .seconds = o.time_limit,
                              .max_samples = 200,
                              .noise = 0.02,
                              .sample_seconds = 50e-6},
                   .buffer_bytes = static_cast<std::size_t>(o.buffer_mib) << 20};
  for (const lab::Swept& s : swept) order.parameters[s.name] = s.values;
  std::vector<std::string> read;
  for (const std::string& m : o.matrices) {
    order.matrices.push_back(lab::named_matrix(m));
    lab::check_source(order.matrices.back().source);
    read.push_back(order.matrices.back().source);
  }
  require_apart({{"--json", session.json}}, files_of_matrices(read));
  lab::Record record = lab::Record::here(device);
  record.settings = {{"device", device.name()},
                     {"sweep", kernel.id()},
                     {"time_limit_s", o.time_limit},
                     {"noise", order.budget.noise}};
  if (device.kind == Device::Kind::emulator)
    status("the emulator is for truth, not for speed: verified and not timed");
  const lab::GrowingFile file = session.growing();
  const std::string grows = file.grows().string();
  Reporter reporter(session, file);
  reporter.write(record);  // a name that cannot be written shows now
  const int interrupted = reporter.run(order, record);
  // The file comes first: a reader of stdout who leaves early does not cost it.
  Attempts files;
  const bool kept = files.attempt([&] {
    if (interrupted)
      reporter.write(record);
    else
      reporter.finish(record);
  });
  if (interrupted && kept && !grows.empty())
    complain("interrupted; {} has what was measured", grows);
  session.print(lab::sweep_text(record, swept, o.times, session.colour(), session.width()),
                files.failed());
  if (session.json == "-") files.attempt([&] { write_stdout(lab::text(record)); });
  files.finish();
  if (!interrupted) return verdict(record);
  if (grows.empty()) complain("interrupted; what was measured is above");
  return 128 + interrupted;
}

}  // namespace

void add_sweep(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("sweep", "Run a kernel over the ranges of its parameters and show the best")
      .needs("KERNEL", o->kernel, "An id of 'nonzero list'")
      .needs("MATRIX", o->matrices, "Files, gen:SPEC or like:NAME; NAME=FILE chooses a name")
      .option("--param", "NAME[=VALUES]", o->parameters,
              "What to vary: a,b,c or FROM..TO, which doubles; may be repeated\n"
              "(default: the first two parameters over their ranges)")
      .option("--ops", "OPS", o->ops, "N (default), T (transposed) or N,T")
      .option("--types", "TYPES", o->types, "f64 (default), f32 or f32,f64")
      .option("--time-limit", "SECONDS", o->time_limit,
              "Sampling time of one case at most (default 0.2)")
      .number("--buffer", "MIB", o->buffer_mib, 1, 1 << 20,
              "Memory test over so much (default: four last-level caches; on a GPU 4 GiB)")
      .flag("--times", o->times, "Show times instead of GB/s")
      .device()
      .json()
      .memory_limit()
      .threads()
      .notes(
          "Every choice is verified before it is timed. The record is that of 'nonzero bench'.\n\n"
          "Examples:\n"
          "  nonzero sweep cpu/sell/serial gen:grid\n"
          "  nonzero sweep gpu/csr/warp-per-row gen:fem --param threads --device cuda:0")
      .runs([&session, o] { return sweep(session, *o); });
}

}  // namespace nz::cli
