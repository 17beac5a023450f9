// Random plans, products, updates and solves from several threads, each checked, until the time is
// over; then what was done, what was found, and whether memory stayed flat. A finding names the
// case, which --seed and --case repeat.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "simt/sanitizers.hpp"
#include "soak/arguments.hpp"
#include "soak/memory.hpp"
#include "soak/trial.hpp"

#ifdef NZ_ASAN
// Freed memory is kept from being used again for a while; less of it, so that a leak shows.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=32:allocator_release_to_os_interval_ms=500:detect_leaks=1";
}
#endif

namespace nz::trials {
namespace {

constexpr int most_threads = 64;
std::atomic<std::int64_t> current[most_threads];  // the case of each thread; below 0: none
std::uint64_t seed_in_use = 0;

// When the program dies: which cases were under way. Nothing here allocates.
void tell_cases() {
  char line[256];
  for (const auto& c : current)
    if (c.load() >= 0) {
      const int n = std::snprintf(line, sizeof(line), "soak: under way: --seed %llu --case %lld\n",
                                  static_cast<unsigned long long>(seed_in_use),
                                  static_cast<long long>(c.load()));
      if (write(2, line, static_cast<std::size_t>(n)) < 0) return;
    }
}
extern "C" void on_signal(int number) {
  tell_cases();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

struct Finding {
  std::int64_t number = 0;
  std::string kind, message, text;
};

// What all threads write to.
struct Log {
  std::mutex guard;
  Tally tally;
  std::map<std::string, std::int64_t> kinds;
  std::vector<Finding> findings;
};

std::uint64_t mixed(std::uint64_t seed, std::int64_t number) {
  Draw d(seed * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(number));
  return d.bits();
}

// One case; what is found goes to the log.
void run_case(std::int64_t number, std::uint64_t seed, const Limits& limits, Log& log, bool aloud) {
  std::string text;
  Finding found{.number = number};
  Tally tally;
  try {
    Draw draw(mixed(seed, number));
    if (draw.one_in(10)) {
      text = "a solve";
      tally = solve_something(draw, limits);
    } else {
      const Case c = draw_case(draw, limits);
      text = c.text();
      if (aloud) std::cout << text << std::endl;
      tally = run(c);
    }
  } catch (const Found& e) {
    found.kind = e.kind, found.message = e.what();
  } catch (const DeviceFault& e) {
    found.kind = "device fault", found.message = e.what();
  } catch (const Error& e) {
    found.kind = "unexpected refusal", found.message = e.what();
  } catch (const std::exception& e) {
    found.kind = "foreign exception", found.message = e.what();
  }
  const std::lock_guard lock(log.guard);
  log.tally += tally;
  if (found.kind.empty()) return;
  found.text = text;
  if (++log.kinds[found.kind] <= 5)
    std::cout << "FOUND " << found.kind << ": " << found.message << "\n  " << text
              << "\n  again: --seed " << seed << " --case " << number << std::endl;
  if (log.findings.size() < 200) log.findings.push_back(std::move(found));
}

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double mib(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

std::string machine() {
  std::string name = "unknown processor";
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) {
      name = line.substr(std::min(line.size(), line.find(':') + 2));
      break;
    }
  return fmt::format("{}, {} threads", name, std::thread::hardware_concurrency());
}

struct Outcome {
  double seconds = 0;
  std::vector<MemorySample> memory;
  Flatness resident, heap;
  std::size_t kept = 0;  // allocations on devices, after the last case
};

void print(const Log& log, const Outcome& o) {
  const Tally& t = log.tally;
  std::cout << fmt::format(
      "\n{:>14} cases\n{:>14} plans\n{:>14} products, {} rows, {} of them without a bound\n"
      "{:>14} updates\n{:>14} solves, {} without arriving\n{:>14} refusals as documented\n",
      t.cases, t.plans, t.products, t.rows, t.unjudged, t.updates, t.solves, t.unsolved, t.refused);
  for (const auto& [kind, count] : log.kinds)
    std::cout << fmt::format("{:>14} FOUND: {}\n", count, kind);
  const auto line = [](const char* what, const Flatness& f) {
    if (f.after == 0) {
      std::cout << fmt::format("{}: too short to say whether it stays flat\n", what);
      return;
    }
    std::cout << fmt::format("{}: {:.1f} MiB in the second quarter, {:.1f} in the last: {}\n", what,
                             mib(f.before), mib(f.after), f.flat ? "flat" : "NOT FLAT");
  };
  line("process", o.resident);
  line("heap", o.heap);
  std::cout << fmt::format("{} allocations on devices are left at the end\n", o.kept);
  std::cout << fmt::format("{:.0f} s, {:.0f} CPU s\n", o.seconds, cpu_seconds());
}

nlohmann::ordered_json record(const Arguments& args, const Log& log, const Outcome& o) {
  using Json = nlohmann::ordered_json;
  const Tally& t = log.tally;
  Json j{{"schema", "nonzero-soak/1"},
         {"commit", args.commit},
         {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))},
#ifdef NZ_ASAN
         {"sanitizers", "address, undefined"},
#else
         {"sanitizers", "none"},
#endif
         {"machine", machine()},
         {"devices", args.limits.devices},
         {"threads", args.threads},
         {"seed", args.seed},
         {"seconds", o.seconds},
         {"cpu_seconds", cpu_seconds()},
         {"cases", t.cases},
         {"plans", t.plans},
         {"products", t.products},
         {"rows", t.rows},
         {"rows_without_bound", t.unjudged},
         {"updates", t.updates},
         {"solves", t.solves},
         {"refused_as_documented", t.refused}};
  j["findings"] = Json::object();
  for (const auto& [kind, count] : log.kinds) j["findings"][kind] = count;
  j["found"] = Json::array();
  for (const Finding& f : log.findings)
    j["found"].push_back(
        {{"case", f.number}, {"kind", f.kind}, {"message", f.message}, {"text", f.text}});
  const auto flat = [](const Flatness& f, Slack slack) {
    return Json{{"second_quarter", f.before},
                {"last_quarter", f.after},
                {"slack_share", slack.share},
                {"slack_bytes", slack.bytes},
                {"flat", f.flat}};
  };
  j["memory"] = {{"resident_bytes", flat(o.resident, resident_slack)},
                 {"heap_bytes", flat(o.heap, heap_slack)},
                 {"allocations_left_on_devices", o.kept}};
  // A curve of at most 60 places.
  Json curve = Json::array();
  const std::size_t step = o.memory.size() / 60 + 1;
  for (std::size_t i = 0; i < o.memory.size(); i += step)
    curve.push_back(
        {o.memory[i].seconds, o.memory[i].resident, o.memory[i].heap, o.memory[i].on_devices});
  j["memory"]["curve"] = curve;
  return j;
}

int soak(Arguments args) {
  using Clock = std::chrono::steady_clock;
  // Thorough plans remember in a folder that goes away.
  std::string folder = (std::filesystem::temp_directory_path() / "nonzero-soak-XXXXXX").string();
  if (!mkdtemp(folder.data())) throw Error("cannot make a folder for the tuning cache");
  args.limits.tuning_folder = folder;
  const struct Gone {
    const std::string& what;
    ~Gone() {
      std::error_code ignored;
      std::filesystem::remove_all(what, ignored);
    }
  } gone{folder};

  seed_in_use = args.seed;
  for (auto& c : current) c = -1;
#ifdef NZ_ASAN
  __sanitizer_set_death_callback(tell_cases);
#else
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) std::signal(s, on_signal);
#endif

  Log log;
  Outcome o;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::atomic<std::int64_t> next{args.first_case.value_or(0)};
  const auto done = [&] {
    return args.first_case ? next.load() >= *args.first_case + args.repeat
                           : elapsed() >= args.seconds;
  };
  const auto work = [&](int me) {
    const ThreadScope one(1);
    while (!done()) {
      const std::int64_t number = args.first_case ? (next++, *args.first_case) : next++;
      current[me] = number;
      run_case(number, args.seed, args.limits, log, args.first_case.has_value());
      current[me] = -1;
    }
  };
  std::cout << fmt::format("soak: seed {}, {} threads, devices", args.seed, args.threads);
  for (const std::string& d : args.limits.devices) std::cout << ' ' << d;
  std::cout << std::endl;
  std::vector<std::thread> threads;
  for (int t = 0; t < args.threads; ++t) threads.emplace_back(work, t);
  const double every = std::max(0.05, args.seconds / 2000);
  double told = 0;
  while (!done()) {
    std::this_thread::sleep_for(std::chrono::duration<double>(every));
    o.memory.push_back(memory_now(elapsed()));
    if (elapsed() - told < std::min(15.0, args.seconds / 4)) continue;
    told = elapsed();
    const std::lock_guard lock(log.guard);
    const MemorySample& m = o.memory.back();
    std::int64_t findings = 0;
    for (const auto& [kind, count] : log.kinds) findings += count;
    std::cout
        << fmt::format(
               "{:6.0f} s: {} cases, {} products, {} solves, {} found; {:.0f} MiB, heap {:.1f} "
               "MiB, {} allocations on devices",
               told, log.tally.cases, log.tally.products, log.tally.solves, findings,
               mib(m.resident), mib(m.heap), m.on_devices)
        << std::endl;
  }
  for (std::thread& t : threads) t.join();
  o.seconds = elapsed();
  // For some thousand cases the process grows beyond its heap, on CPUs to about 120 MiB, and then
  // no more: a short run ends meanwhile.
  constexpr double growing = 60;
  if (o.seconds >= growing)
    o.resident = flatness(o.memory, &MemorySample::resident, resident_slack);
  o.heap = flatness(o.memory, &MemorySample::heap, heap_slack);
  o.kept = memory_now(0).on_devices;
  print(log, o);
  if (!args.json.empty()) {
    std::ofstream out(args.json);
    out << record(args, log, o).dump(1) << '\n';
    if (!out) throw Error("cannot write " + args.json);
  }
  const bool good = log.kinds.empty() && o.resident.flat && o.heap.flat && o.kept == 0 &&
                    (args.first_case || log.tally.products > 0);
  std::cout << (good ? "soak: clean" : "soak: FAILED") << std::endl;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace nz::trials

int main(int argc, char** argv) {
  try {
    return nz::trials::soak(nz::trials::arguments(argc, argv));
  } catch (const std::exception& e) {
    std::cerr << "soak: " << e.what() << '\n';
    return 2;
  }
}
