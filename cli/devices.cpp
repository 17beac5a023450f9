#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/device.hpp>

#include "base/caches.hpp"
#include "base/size_text.hpp"
#include "cli/commands.hpp"
#include "cli/parser.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "lab/bench/gpu_timing.hpp"
#include "lab/bench/machine.hpp"
#include "lab/report/text.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;
using lab::Align;
using lab::Tone;

struct Options {
  bool quick = false;
  int buffer_mib = 0;
};

// What the library does not know of the CPU.
DeviceInfo completed(DeviceInfo d) {
  if (d.device != cpu_device) return d;
  const Json machine = lab::describe_machine();
  d.description = machine["cpu"];
  d.memory_bytes = machine["memory_bytes"];
  d.free_bytes = lab::available_memory_bytes();
  d.cache_bytes = last_level_cache_bytes();
  return d;
}

std::optional<lab::Bandwidth> bandwidth_of(Device device, const Options& o) {
  if (o.quick || device.kind == Device::Kind::emulator) return std::nullopt;
  const std::size_t bytes = static_cast<std::size_t>(o.buffer_mib) << 20;
  status("measuring the memory of {}", device.name());
  if (device.kind == Device::Kind::cuda) return lab::measure_bandwidth(device, bytes);
  return bytes > 0 ? lab::measure_bandwidth(bytes) : lab::measure_bandwidth();
}

Json record(const DeviceInfo& d, const std::optional<lab::Bandwidth>& b) {
  Json r{{"device", d.device.name()},  {"description", d.description},
         {"processors", d.processors}, {"memory_bytes", d.memory_bytes},
         {"free_bytes", d.free_bytes}, {"cache_bytes", d.cache_bytes}};
  if (d.device.kind == Device::Kind::cuda) {
    r["compute_capability"] = fmt::format("{}.{}", d.major, d.minor);
    r["shared_bytes_a_block"] = d.shared_bytes;
    r["clock_mhz"] = d.clock_mhz;
    r["cuda_driver"] = d.driver;
    r["cuda_runtime"] = d.runtime;
  }
  if (!b) return r;
  r["read_bytes_per_second"] = b->read;
  if (d.device == cpu_device)
    r["triad_bytes_per_second"] = b->triad;
  else
    r["copy_bytes_per_second"] = b->copy;
  return r;
}

std::vector<lab::Cell> row(const DeviceInfo& d, const std::optional<lab::Bandwidth>& b) {
  const auto bytes = [](std::size_t n) {
    return n > 0 ? size_text(static_cast<double>(n)) : std::string("-");
  };
  return {{d.device.name(), Tone::bold},
          std::to_string(d.processors),
          bytes(d.memory_bytes),
          bytes(d.free_bytes),
          bytes(d.cache_bytes),
          b ? lab::rate_text(b->read) : std::string("-"),
          b ? lab::rate_text(d.device == cpu_device ? b->triad : b->copy) : std::string("-"),
          d.description};
}

int show(const Session& session, const Options& o) {
  lab::Table table({{"device"},
                    {"processors", Align::right},
                    {"memory", Align::right},
                    {"free", Align::right},
                    {"cache", Align::right},
                    {"read GB/s", Align::right},
                    {"copy GB/s", Align::right},
                    {"what"}});
  Json all = Json::array();
  bool emulator = false;
  for (const DeviceInfo& found : devices()) {
    const DeviceInfo d = completed(found);
    const auto b = bandwidth_of(d.device, o);
    table.add(row(d, b));
    emulator = emulator || d.device == emulator_device;
    all.push_back(record(d, b));
  }
  session.print(table);
  const std::string why = why_no_cuda();
  if (!why.empty()) session.say("\nno CUDA device: {}\n", why);
  session.print(
      "\nProcessors: threads in use, or multiprocessors. Copy: bytes read and written; on the CPU "
      "a = b + s c.\n");
  if (emulator) session.print("emu runs GPU kernels on the host: for truth, not for speed.\n");
  session.write({{"devices", all}, {"why_no_cuda", why}});
  return ok;
}

}  // namespace

void add_devices(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("devices", "Show where kernels can run, with the measured bandwidth of their memory")
      .flag("--quick", o->quick, "Measure nothing")
      .number("--buffer", "MIB", o->buffer_mib, 1, 1 << 20,
              "Memory test over so much (default: four last-level caches; on a GPU 4 GiB)")
      .json()
      .threads()
      .notes(
          "Examples:\n"
          "  nonzero devices\n"
          "  nonzero devices --quick --json -")
      .runs([&session, o] { return show(session, *o); });
}

}  // namespace nz::cli
