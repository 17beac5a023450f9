#pragma once
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "simt/emulator_shadow.hpp"

// Which accesses to device memory come before which. Within a block barriers say so; between
// blocks, and warps that have none, nothing does, except that one fences and then touches a word
// atomically, and another touches the same word atomically (or reads it coherently) and then
// fences.
namespace nz::emulated::emulator {

// What a block has done when one of its threads touches a word atomically: all that is fenced, and
// known to that thread by the barriers before.
struct Release {
  std::uint32_t block = 0, thread = 0;
  std::uint32_t own = 0, warp = 0,
                whole = 0;  // before these times: its own, its warp's, the block's
  std::uint32_t at = 0;     // of the atomic itself

  bool covers(Stamp s, bool atomic) const {
    if (s.time() < whole) return true;
    if (s.thread() / 32 == thread / 32 && s.time() < warp) return true;
    return s.thread() == thread && (s.time() < own || (atomic && s.time() <= at));
  }
  std::uint64_t key() const { return std::uint64_t{block} << 10 | thread; }
};

// The words of a launch where blocks met, and what each has told there.
class Meetings {
 public:
  bool any() const { return any_.load(std::memory_order_acquire); }
  void tell(const void* word, const std::vector<Release>& what);
  // What was told at the word, if that is more than version `seen`; sets it.
  std::vector<Release> hear(const void* word, std::uint64_t& seen);

 private:
  struct Meeting {
    std::unordered_map<std::uint64_t, Release> told;
    std::uint64_t version = 0;
  };
  std::atomic<bool> any_{false};
  std::mutex guard_;
  std::unordered_map<const void*, Meeting> words_;
};

// The clock of the block that runs, and what its threads know of other blocks.
class Knowledge {
 public:
  void begin_block(std::uint32_t block);

  Stamp stamp(int thread, bool coherent) const {
    return {block_, static_cast<std::uint32_t>(thread), std::min(now_, Stamp::last_time), coherent};
  }
  void barrier() { barrier_ = ++now_; }
  void warp_barrier(int warp) {
    meet(warp);
    warps_[at(warp)].barrier = now_;
  }
  // Shuffles and votes. They order no memory; with a fence before and one after they do.
  void meet(int warp) {
    WarpTimes& w = warps_[at(warp)];
    w.met = ++now_;
    w.told = w.fenced;
  }
  void fence(int thread) {
    WarpTimes& w = warps_[at(thread / 32)];
    fenced_ = w.fenced = threads_[at(thread)].fenced = ++now_;
    threads_[at(thread)].told = w.told;
  }
  // Before and after a word is touched atomically.
  void release(int thread, const void* word, Meetings& meetings);
  void acquire(int thread, const void* word, Meetings& meetings);

  // Whether an access comes before what the thread does now.
  bool ordered(Stamp s, int thread, bool atomic) const {
    if (s.block() == block_) {
      if (s.time() < barrier_ || s.thread() == static_cast<std::uint32_t>(thread)) return true;
      if (static_cast<int>(s.thread()) / 32 == thread / 32 &&
          (s.time() < warps_[at(thread / 32)].barrier || s.time() < threads_[at(thread)].told))
        return true;
    }
    return !heard_.empty() && heard(s, thread, atomic);
  }

 private:
  struct Heard {
    Release what;
    int thread;          // who heard it,
    std::uint32_t when;  // and when
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool heard(Stamp s, int thread, bool atomic) const;
  // Whether the thread may rely on it: it fenced since, or met those that did.
  bool usable(const Heard& h, int thread) const {
    const WarpTimes& w = warps_[at(thread / 32)];
    return known_to_block(h) || (h.thread == thread && threads_[at(thread)].fenced > h.when) ||
           (h.thread / 32 == thread / 32 && w.met > h.when && w.fenced > h.when);
  }
  bool known_to_block(const Heard& h) const { return barrier_ > h.when && fenced_ > h.when; }

  struct WarpTimes {
    std::uint32_t barrier = 0, met = 0, fenced = 0;
    std::uint32_t told = 0;  // the last fence before they met
  };
  struct ThreadTimes {
    std::uint32_t fenced = 0;
    std::uint32_t told = 0;      // what its warp did before this is in order: it fenced since
    const void* word = nullptr;  // where it heard something last
    std::uint64_t version = 0;
  };
  std::uint32_t block_ = 0, now_ = 1, barrier_ = 1, fenced_ = 0;
  bool listened_ = false;
  std::array<WarpTimes, 32> warps_{};
  std::array<ThreadTimes, 1024> threads_{};
  std::unordered_map<std::uint32_t, std::vector<Heard>> heard_;  // by block
};

}  // namespace nz::emulated::emulator
