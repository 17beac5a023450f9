#include "base/pinning.hpp"

#include <nonzero/threads.hpp>
#if defined(__linux__)
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <sched.h>

#include "base/parallel.hpp"
#include "base/processors.hpp"
#endif

namespace nz {

#if defined(__linux__)

struct Pins {
  cpu_set_t allowed;        // what the caller could run on before
  std::vector<int> places;  // the cpu of each thread
  std::uint64_t call;       // tells one call of pin_threads() from another
};

namespace {

thread_local std::unique_ptr<const Pins> own;

// How this thread is bound: as which thread, by which call.
struct Binding {
  std::uint64_t call = 0;
  int thread = 0;
};
thread_local Binding bound;

cpu_set_t only(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return set;
}

bool run_on(const cpu_set_t& set) { return sched_setaffinity(0, sizeof set, &set) == 0; }

std::vector<int> list(const cpu_set_t& set) {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

bool placed_by_openmp() {
#ifdef _OPENMP
  return omp_get_proc_bind() != omp_proc_bind_false;
#else
  return false;
#endif
}

}  // namespace

const Pins* team_pins() { return own.get(); }

bool bind_to(const Pins& pins, int thread) {
  if (bound.call == pins.call && bound.thread == thread) return true;
  const auto place = static_cast<std::size_t>(thread);
  if (!run_on(place < pins.places.size() ? only(pins.places[place]) : pins.allowed)) return false;
  bound = {pins.call, thread};
  return true;
}

bool pin_threads() {
  if (placed_by_openmp()) return false;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  if (own) {
    // Bound by an earlier call: what counts is what was allowed then.
    const cpu_set_t here = only(own->places[0]);
    if (CPU_EQUAL(&allowed, &here)) allowed = own->allowed;
  }
  const int team = threads();
  std::vector<int> places = place_threads(processors(list(allowed)), team);
  if (places.empty()) return false;

  static std::atomic<std::uint64_t> calls{0};
  own = std::make_unique<const Pins>(Pins{allowed, std::move(places), ++calls});
  const Pins& pins = *own;
  std::atomic<bool> all{true};
  parallel(team, [&](int thread, int count) {
    if (count != team || !bind_to(pins, thread)) all = false;
  });
  if (all) return true;
  own.reset();
  parallel(team, [&](int, int) {
    run_on(allowed);
    bound = {};
  });
  return false;
}

#else

struct Pins {};
const Pins* team_pins() { return nullptr; }
bool bind_to(const Pins&, int) { return false; }
bool pin_threads() { return false; }

#endif

}  // namespace nz
