#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include <atomic>
#include <string>
#ifdef _OPENMP
#include <omp.h>
#else
#include <thread>
#endif

namespace nz {
namespace {

int default_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  const unsigned n = std::thread::hardware_concurrency();
  return n == 0 ? 1 : static_cast<int>(n);
#endif
}

std::atomic<int>& setting() {
  static std::atomic<int> n{default_threads()};
  return n;
}

thread_local int scoped = 0;  // 0: no scope

int checked(int n) {
  if (n < 1) throw InvalidArgument("threads: " + std::to_string(n) + " is below 1");
  return n;
}

}  // namespace

int threads() { return scoped > 0 ? scoped : setting().load(std::memory_order_relaxed); }

void set_threads(int n) { setting().store(checked(n), std::memory_order_relaxed); }

ThreadScope::ThreadScope(int n) : before_(scoped) { scoped = checked(n); }
ThreadScope::~ThreadScope() { scoped = before_; }

}  // namespace nz
