#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/device.hpp>
#include <nonzero/error.hpp>

#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "io/output_file.hpp"
#include "lab/bench/tune.hpp"
#include "plan/tuning/tuning.hpp"
#include "plan/tuning_cache.hpp"
#include "simt/backend.hpp"

namespace nz::cli {
namespace {

using lab::Align;
using lab::Tone;

struct Options {
  int buffer_mib = 0;
  int nonzeros = 0;
  double seconds = 0.1;
};

NamedNumbers built_in(Device device) {
  if (device == cpu_device) return numbers_of(CpuTuning{});
  return numbers_of(built_in_tuning(simt::backend(device).info()));
}

lab::Table table(const DeviceTable& t, const NamedNumbers& before) {
  lab::Table out(
      {{"constant"}, {"built in", Align::right}, {"here", Align::right}, {"ratio", Align::right}});
  for (std::size_t i = 0; i < t.constants.size(); ++i) {
    const double ratio = t.constants[i].second / before[i].second;
    out.add({{t.constants[i].first, Tone::bold},
             fmt::format("{:.4g}", before[i].second),
             fmt::format("{:.4g}", t.constants[i].second),
             {fmt::format("{:.2f}", ratio), ratio == 1 ? Tone::dim : Tone::plain}});
  }
  return out;
}

// Puts it where plans find it, and returns the file; "" where there is no folder for it.
std::string keep(const DeviceTable& t) {
  const std::string folder = tuning_folder({});
  if (folder.empty()) return "";
  const std::filesystem::path file = table_file(folder, t.device);
  std::error_code told_by_writing;
  std::filesystem::create_directories(file.parent_path(), told_by_writing);
  write_file(file, text_of(t));
  return file.string();
}

int run(const Session& session, const Options& o) {
  if (!(o.seconds > 0))
    throw InvalidArgument(fmt::format("--seconds: {} is not above 0", o.seconds));
  const Device device = session.where();
  const bool measures = device.kind != Device::Kind::emulator;
  DeviceTable t;
  {
    ProgressBar bar("measuring");
    t = lab::tune(device,
                  {.buffer_bytes = static_cast<std::size_t>(o.buffer_mib) << 20,
                   .nonzeros = o.nonzeros,
                   .seconds = o.seconds},
                  [&](int done, int steps, std::string_view what) {
                    bar.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(steps),
                               what);
                  });
  }
  // Kept before anything is said: a reader of stdout who leaves early costs nothing.
  const std::string kept = measures && session.json.empty() ? keep(t) : "";
  session.say("device    {}: {}\n", device.name(), t.device);
  for (const auto& [name, value] : t.measured) session.say("          {} = {:.4g}\n", name, value);
  session.print("\n");
  const NamedNumbers before = built_in(device);
  session.print(table(t, before));
  if (device == cpu_device) {
    std::size_t same = 0;
    for (std::size_t i = 0; i < before.size(); ++i) same += t.constants[i] == before[i];
    if (same > 0)
      session.say("\n{} of {} could not be told from the times and stay as they are built in.\n",
                  same, before.size());
  }
  session.print("\n");
  if (!measures)
    session.print("emu is for truth, not for speed: nothing was measured, nothing is kept.\n");
  if (!session.json.empty()) {
    session.write(nlohmann::ordered_json::parse(text_of(t)));
    return ok;
  }
  if (!measures) return ok;
  if (kept.empty())
    session.print("There is no folder for it, or NONZERO_TUNING is off: nothing is kept.\n");
  else
    session.say("Plans on this device read it from now on: {}\n", kept);
  return ok;
}

}  // namespace

void add_tune(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("tune", "Measure what plans know of a device, and keep it for them")
      .number("--buffer", "MIB", o->buffer_mib, 1, 1 << 20,
              "Memory test over so much (default: four last-level caches; on a GPU 4 GiB)")
      .number("--nonzeros", "N", o->nonzeros, 1000, 1 << 30,
              "Of the matrices that are multiplied on the CPU, about (default: twice the\n"
              "last-level cache)")
      .option("--seconds", "S", o->seconds, "Each timing takes about so long (default 0.1)")
      .json()
      .threads()
      .device()
      .notes(
          "The table goes to $NONZERO_CACHE, $XDG_CACHE_HOME/nonzero or ~/.cache/nonzero, into "
          "the\n"
          "folder tuning, where plans find it; with --json only there. NONZERO_TUNING=off makes\n"
          "plans take what is built in.\n\n"
          "Examples:\n"
          "  nonzero tune\n"
          "  nonzero tune --device cuda:0\n"
          "  nonzero tune --json table.json")
      .runs([&session, o] { return run(session, *o); });
}

}  // namespace nz::cli
