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

}  // namespace

int threads() { return setting().load(std::memory_order_relaxed); }

void set_threads(int n) {
  if (n < 1) throw InvalidArgument("threads: " + std::to_string(n) + " is below 1");
  setting().store(n, std::memory_order_relaxed);
}

}  // namespace nz
