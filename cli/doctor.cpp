#include <algorithm>
#include <chrono>
#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/solve.hpp>
#include <nonzero/threads.hpp>

#include "base/caches.hpp"
#include "base/isa.hpp"
#include "base/size_text.hpp"
#include "cli/commands.hpp"
#include "cli/counting.hpp"
#include "cli/kernels.hpp"
#include "cli/parser.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/version_text.hpp"
#include "lab/bench/bandwidth.hpp"
#include "lab/bench/machine.hpp"
#include "lab/bench/verify.hpp"
#include "lab/report/text.hpp"
#include "plan/tuning/tuning.hpp"
#include "plan/tuning_cache.hpp"

namespace nz::cli {
namespace {

using Json = nlohmann::ordered_json;
using lab::Tone;
using Clock = std::chrono::steady_clock;

struct Options {
  double seconds = 30;  // of the self test, at most
  bool quick = false;
};

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What is not here, and how to get it.
struct Missing {
  std::string what, how;
};

bool has_emulator() {
  const auto all = devices();
  return std::any_of(all.begin(), all.end(),
                     [](const DeviceInfo& d) { return d.device == emulator_device; });
}

std::vector<Missing> missing() {
  std::vector<Missing> all;
  if (const std::string why = why_no_cuda(); !why.empty())
    all.push_back({"no GPU: " + why,
                   "GPU kernels need an NVIDIA GPU, its driver and a build with nvcc "
                   "(docs/install.md); --device emu verifies them without"});
  if (!has_emulator())
    all.push_back({"no emulator: Boost.Context was not found when this was built",
                   "install libboost-context-dev and build again"});
  if (peer_libraries().empty())
    all.push_back({"no other libraries to compare with", "make peers (docs/peers.md)"});
  const std::string folder = tuning_folder({});
  std::error_code none;
  if (!folder.empty() && !std::filesystem::exists(table_file(folder, table_key({})), none))
    all.push_back({"no table of this processor: plans use what is built in", "nonzero tune"});
  return all;
}

// What the self test found.
struct Tested {
  std::int64_t kernels = 0, products = 0, left = 0;  // left: for want of time
  std::vector<std::string> wrong;
  double seconds = 0;
};

// A small matrix with what judges its products.
struct Judged {
  explicit Judged(const char* what)
      : spec(what),
        matrix(csr_cast<double, std::int32_t>(generate(what).matrix.view())),
        judge(matrix.view()) {}
  const char* spec;
  Csr<double, std::int32_t> matrix;
  lab::Judge<double, std::int32_t> judge;
};

void check_kernels(const std::vector<const Kernel*>& kernels, Device device, double until,
                   Clock::time_point start, Tested& t) {
  // Rows of one length and rows of all lengths, each with a part of the last block.
  std::list<Judged> small;
  if (device == cpu_device) {
    small.emplace_back("grid:nx=61,ny=47");
    small.emplace_back("rmat:scale=9");
  } else {
    small.emplace_back("grid:nx=9,ny=7");
  }
  ProgressBar bar("testing");
  std::size_t done = 0;
  for (const Kernel* k : kernels) {
    bar.update(done++, kernels.size(), k->id());
    if (since(start) >= until) {
      ++t.left;
      continue;
    }
    ++t.kernels;
    for (Judged& one : small)
      for (const lab::Conformance& c : lab::conformance(*k, one.judge, device)) {
        t.products += c.products;
        if (c.outcome == lab::Conformance::Outcome::wrong)
          t.wrong.push_back(
              fmt::format("{} on {}, {}: {}", c.kernel->id(), device.name(), one.spec, c.reason));
      }
  }
}

void check_solver(Tested& t) {
  const auto a = generate("grid:nx=60,ny=60").matrix;
  const Array<double> b(static_cast<std::size_t>(a.rows), 1.0);
  Array<double> x(static_cast<std::size_t>(a.rows), 0.0);
  const auto r = solve::cg(plan(a.view()), b, x, {.tolerance = 1e-10});
  const double truth = solve::true_residual(a.view(), b, x);
  if (!r.ok() || !(truth < 1e-8))
    t.wrong.push_back(fmt::format("cg: {}, and |b - A x| / |b| is {:.3g}", r.message, truth));
}

Tested self_test(const Options& o) {
  Tested t;
  const auto begin = Clock::now();
  std::vector<const Kernel*> cpu, gpu;
  for (const Kernel& k : kernels())
    if (is_planned(k)) (k.runs_on_device(Device::Kind::cpu) ? cpu : gpu).push_back(&k);
  check_solver(t);
  const auto start = Clock::now();  // of what may be left out
  check_kernels(cpu, cpu_device, o.seconds, start, t);
  if (why_no_cuda().empty())
    check_kernels(gpu, device_named("cuda:0"), o.seconds, start, t);
  else if (has_emulator())
    check_kernels(gpu, emulator_device, o.seconds, start, t);
  t.seconds = since(begin);
  return t;
}

int doctor(const Session& session, const Options& o) {
  if (!(o.seconds >= 0 && o.seconds <= 60))
    throw InvalidArgument(fmt::format("--seconds: {} is not between 0 and 60", o.seconds));
  const auto line = [&](const char* label, std::string_view text, Tone tone = Tone::plain) {
    constexpr std::size_t usual_width = 80, indent = 10;
    const std::size_t width = std::max<std::size_t>(session.width(), usual_width) - indent;
    for (const std::string& part : lab::wrapped(text, width))
      session.say("{:<9} {}\n", std::exchange(label, ""), lab::toned(part, tone, session.colour()));
  };
  const Json machine = lab::describe_machine();
  const auto peers = peer_libraries();
  line("machine", fmt::format("{}, {}", machine["cpu"].get<std::string>(),
                              lab::plural(threads(), "thread", "threads")));
  line("memory",
       fmt::format("{}, {} free, last cache {}", size_text(machine["memory_bytes"].get<double>()),
                   size_text(static_cast<double>(lab::available_memory_bytes())),
                   size_text(static_cast<double>(last_level_cache_bytes()))));
  line("built", fmt::format("{}, commit {}", lab::compiler(), commit_text()));
  line("vectors", name(isa()));
  line("CUDA", cuda_text());
  line("emulator", has_emulator() ? "built in" : "not built in");
  line("peers", peers.empty() ? std::string("none") : fmt::format("{}", fmt::join(peers, ", ")));
  Json r{{"machine", machine},  {"commit", commit_text()},  {"compiler", lab::compiler()},
         {"isa", name(isa())},  {"cuda", cuda_text()},      {"emulator", has_emulator()},
         {"peers", peers},      {"missing", Json::array()}, {"bandwidth", nullptr},
         {"self_test", nullptr}};
  bool right = true;
  if (!o.quick) {
    const lab::Bandwidth b = lab::measure_bandwidth();
    line("bandwidth", fmt::format("{} GB/s read, {} GB/s a = b + s c", lab::rate_text(b.read),
                                  lab::rate_text(b.triad)));
    r["bandwidth"] = {{"read_bytes_per_second", b.read}, {"triad_bytes_per_second", b.triad}};
    const Tested t = self_test(o);
    right = t.wrong.empty();
    line("self test",
         fmt::format("{} in {} of kernels and a solver: {}{}",
                     lab::plural(t.products, "product", "products"), lab::seconds_text(t.seconds),
                     right ? "all right" : "WRONG",
                     t.left > 0 ? fmt::format("; no time for {}",
                                              lab::plural(t.left, "more kernel", "more kernels"))
                                : ""),
         right ? Tone::good : Tone::bad);
    for (const std::string& what : t.wrong) line("", counted_from_one(what), Tone::bad);
    r["self_test"] = {{"right", right},       {"kernels", t.kernels}, {"products", t.products},
                      {"not_tested", t.left}, {"wrong", t.wrong},     {"seconds", t.seconds}};
  }
  const auto lacking = missing();
  for (const Missing& m : lacking) {
    line(&m == &lacking.front() ? "missing" : "", m.what);
    line("", "to have it: " + m.how, Tone::dim);
    r["missing"].push_back({{"what", m.what}, {"how", m.how}});
  }
  if (lacking.empty()) line("missing", "nothing");
  session.write(r);
  return right ? ok : check_failed;
}

}  // namespace

void add_doctor(Parser& parser, Session& session) {
  auto o = std::make_shared<Options>();
  parser.add("doctor", "Tell what this machine and this build have, and test them")
      .flag("--quick", o->quick, "Measure and test nothing")
      .option("--seconds", "S", o->seconds, "The self test takes S at most (default 30)")
      .json()
      .threads()
      .notes(
          "Exits with 1 when a product of the self test is wrong.\n\n"
          "Examples:\n"
          "  nonzero doctor\n"
          "  nonzero doctor --quick --json -")
      .runs([&session, o] { return doctor(session, *o); });
}

}  // namespace nz::cli
