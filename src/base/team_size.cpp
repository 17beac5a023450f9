#include "base/team_size.hpp"

#include <algorithm>
#ifdef _OPENMP
#include <omp.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>
#endif

namespace nz {
#ifdef _OPENMP
namespace {

// The team that this host thread's runtime has ready; threads beyond the last team's have ended.
thread_local int ready = 1;
// Where creation failed, when to try again: a limit may be lifted, but trying takes time.
thread_local std::chrono::steady_clock::time_point again{};

// How many of `wanted` more threads can be created at the same time.
int creatable(int wanted) {
  std::atomic<bool> enough{false};
  std::vector<std::thread> created;
  try {
    created.reserve(static_cast<std::size_t>(wanted));
    for (int t = 0; t < wanted; ++t) created.emplace_back([&] { enough.wait(false); });
  } catch (...) {  // no thread, or no memory for one
  }
  enough = true;
  enough.notify_all();
  for (std::thread& t : created) t.join();
  return static_cast<int>(created.size());
}

}  // namespace

TeamSize::TeamSize(int wanted) : size_(std::min(wanted, omp_get_thread_limit())) {
  if (size_ <= 1) return;
  // A region inside one has threads of its own, or, usually, none but the one that meets it.
  const bool inner = omp_get_active_level() > 0;
  if (inner && omp_get_active_level() >= omp_get_max_active_levels()) return;
  const int have = inner ? 1 : ready;
  if (size_ <= have) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < again) {
    size_ = have;
    return;
  }
  const int possible = have + creatable(size_ - have);
  if (possible < size_) again = now + std::chrono::seconds(1);
  size_ = possible;
}

TeamSize::~TeamSize() {
  if (size_ > 1 && omp_get_active_level() == 0) ready = omp_get_dynamic() ? 1 : size_;
}
#else
TeamSize::TeamSize(int wanted) : size_(std::max(wanted, 1)) {}
TeamSize::~TeamSize() = default;
#endif

}  // namespace nz
