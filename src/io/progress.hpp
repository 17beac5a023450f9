#pragma once
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include <nonzero/io.hpp>

namespace nz {

// Counts work done by several threads and tells a Progress of it, from one thread at a time and
// not more often than the eye can follow. A part of the file's bytes may stand for each step of
// the work: done = base + share * counted / work.
class Meter {
 public:
  Meter(Progress tell, std::uint64_t total) : tell_(std::move(tell)), total_(total) {}

  // The next `work` units together stand for file bytes `from` to `to`.
  void begin(std::uint64_t work, std::uint64_t from, std::uint64_t to) {
    work_ = work == 0 ? 1 : work;
    from_ = from;
    to_ = to;
    counted_ = 0;
  }
  void begin(std::uint64_t work) { begin(work, 0, total_); }

  void add(std::uint64_t units) {
    if (!tell_) return;
    const auto counted = counted_.fetch_add(units, std::memory_order_relaxed) + units;
    if (!guard_.try_lock()) return;
    std::lock_guard lock(guard_, std::adopt_lock);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(40)) return;
    last_ = now;
    say(from_ +
        static_cast<std::uint64_t>(static_cast<double>(to_ - from_) *
                                   (static_cast<double>(counted) / static_cast<double>(work_))));
  }

  void finish() {
    if (tell_) say(total_);
  }

 private:
  // Never backwards, never past the end.
  void say(std::uint64_t done) {
    if (done > total_) done = total_;
    if (done < said_) return;
    said_ = done;
    tell_(done, total_);
  }

  Progress tell_;
  std::uint64_t total_;
  std::uint64_t work_ = 1, from_ = 0, to_ = 0, said_ = 0;
  std::atomic<std::uint64_t> counted_{0};
  std::mutex guard_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace nz
