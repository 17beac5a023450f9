#include "simt/emulator.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/parallel.hpp"
#include "simt/emulator_block.hpp"

namespace nz::emulated::emulator {

void LaunchRun::fail(std::string fault) {
  const std::lock_guard lock(guard_);
  if (fault_.empty()) fault_ = std::move(fault);
  stopped_.store(true, std::memory_order_relaxed);
}

namespace {

struct Seeds {
  std::atomic<std::uint64_t> next{1};
  std::atomic<bool> pinned{false};
  std::uint64_t draw() { return pinned ? next.load() : next.fetch_add(1); }
};

Seeds& seeds() {
  static Seeds& all = *[] {
    auto* made = new Seeds;
    if (const char* given = std::getenv("NZ_EMU_SEED")) {
      made->next = std::strtoull(given, nullptr, 10);
      made->pinned = true;
    }
    return made;
  }();
  return all;
}

// A BlockRun for as long as one OS thread works on a launch. They are kept for the next launch.
class Borrowed {
 public:
  Borrowed() {
    const std::lock_guard lock(pool().guard);
    auto& free = pool().free;
    if (free.empty()) {
      free.reserve(++pool().made);
      run_ = std::make_unique<BlockRun>();
    } else {
      run_ = std::move(free.back());
      free.pop_back();
    }
  }
  ~Borrowed() {
    const std::lock_guard lock(pool().guard);
    pool().free.push_back(std::move(run_));
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  BlockRun& operator*() { return *run_; }

 private:
  struct Pool {
    std::mutex guard;
    std::vector<std::unique_ptr<BlockRun>> free;
    std::size_t made = 0;
  };
  static Pool& pool() {
    static Pool& p = *new Pool;  // its stacks live to the end of the program
    return p;
  }
  std::unique_ptr<BlockRun> run_;
};

void check(const LaunchInfo& launch) {
  const auto refuse = [&](std::string_view text) {
    throw InvalidArgument(fmt::format("kernel {}: {}", launch.name, text));
  };
  if (launch.blocks < 1) refuse(fmt::format("a launch of {} blocks", launch.blocks));
  const int most = std::min(launch.max_threads, 1024);
  if (launch.threads < 32 || launch.threads > most || launch.threads % 32 != 0)
    refuse(
        fmt::format("{} threads a block: it takes 32 to {}, in whole warps", launch.threads, most));
  if (launch.shared_bytes > max_shared_bytes)
    refuse(fmt::format("{} bytes of shared memory a block: there are {}", launch.shared_bytes,
                       max_shared_bytes));
}

// Starting OS threads takes longer than a few small blocks.
int os_threads(const LaunchInfo& launch) {
  constexpr std::int64_t worth_it = 2048;
  if (launch.blocks < 4 || std::int64_t{launch.blocks} * launch.threads < worth_it) return 1;
  return std::min(threads(), launch.blocks);
}

}  // namespace

void run(const LaunchInfo& launch, Body body, const void* kernel) {
  check(launch);
  // Threads of the host that launch at the same time take turns.
  static std::mutex turn;
  const std::lock_guard lock(turn);
  const int wanted = os_threads(launch);
  LaunchRun whole(launch, body, kernel, seeds().draw(), wanted > 1);
  whole.lively = wanted;
  parallel(wanted, [&](int thread, int granted) {
    if (thread == 0) whole.lively -= wanted - granted;
    try {
      Borrowed blocks;
      (*blocks).run(whole);
      --whole.lively;
    } catch (...) {  // no memory
      whole.stop();
      throw;
    }
  });
  if (whole.lacks_memory()) throw NoResource("not enough memory for the threads of the emulator");
  if (!whole.fault().empty()) throw DeviceFault(whole.fault());
}

void set_seed(std::uint64_t seed) {
  seeds().pinned = false;
  seeds().next = seed;
}
void pin_seed(std::uint64_t seed) {
  seeds().next = seed;
  seeds().pinned = true;
}
std::uint64_t seed() { return seeds().next; }

}  // namespace nz::emulated::emulator
