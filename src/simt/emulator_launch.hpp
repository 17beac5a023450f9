#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "simt/emulator.hpp"
#include "simt/emulator_knowledge.hpp"
#include "simt/emulator_order.hpp"

namespace nz::emulated::emulator {

// One launch, as the OS threads that run its blocks see it.
class LaunchRun {
 public:
  const LaunchInfo& info;
  const Body body;
  const void* const kernel;
  const std::uint64_t seed;
  const std::uint32_t id;  // no other has it
  const bool several;      // OS threads
  Meetings meetings;       // of blocks, in device memory

  LaunchRun(const LaunchInfo& i, Body b, const void* k, std::uint64_t s, bool more)
      : info(i),
        body(b),
        kernel(k),
        seed(s),
        id(++launches_),
        several(more),
        random_(s),
        order_(i.blocks, random_) {}

  // The next block to run; -1 when there is none.
  int take_block() {
    if (stopped()) return -1;
    const std::int64_t i = taken_.fetch_add(1, std::memory_order_relaxed);
    return i < info.blocks ? order_(i) : -1;
  }

  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  // The first fault is the one that is told.
  void fail(std::string fault);
  const std::string& fault() const { return fault_; }
  // The emulator itself, not the kernel, had no memory: what a thread then throws is no fault.
  void lack_memory() { lacks_memory_.store(true, std::memory_order_relaxed); }
  bool lacks_memory() const { return lacks_memory_.load(std::memory_order_relaxed); }

  // OS threads whose blocks do more than wait for others with pause().
  std::atomic<int> lively{0};

 private:
  static inline std::atomic<std::uint32_t> launches_{0};
  Random random_;
  Order order_;
  std::atomic<std::int64_t> taken_{0};
  std::atomic<bool> stopped_{false}, lacks_memory_{false};
  std::mutex guard_;
  std::string fault_;
};

}  // namespace nz::emulated::emulator
