#pragma once
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "simt/emulator_context.hpp"
#include "simt/emulator_knowledge.hpp"
#include "simt/emulator_launch.hpp"
#include "simt/emulator_shared.hpp"

namespace nz::emulated::emulator {

inline constexpr unsigned all_lanes = 0xffffffffu;

// What the lanes of a warp do together.
enum class Together : char { shuffle, vote, barrier };

// A warp of the block that runs. Bits stand for lanes in the order they run in, not for lane
// numbers, except in votes.
struct Warp {
  int index = 0;
  unsigned place = 0;  // its bit in the order of the warps
  unsigned ready = 0;  // can run, does not run now
  unsigned started = 0, left = 0, paused = 0, at_barrier = 0;
  // The collective that lanes wait at. Results stay until the next but one begins: by then every
  // lane has read them.
  unsigned arrived = 0;
  Together what{};
  Where where{};
  unsigned generation = 0;
  std::array<unsigned, 2> votes{};
  std::array<std::array<std::uint64_t, 32>, 2> brought;
  std::uint32_t sync = 0;        // when the clock counted its last barrier
  unsigned step = 1, first = 0;  // the order of its lanes

  int lane_at(int place_in_order) const {
    return static_cast<int>((step * static_cast<unsigned>(place_in_order) + first) % 32);
  }
};

// Runs one block after another, on one OS thread at a time. There is one for each OS thread that
// ever ran blocks at the same time; they are kept.
//
// A thread begins on whatever context is free and keeps it until it leaves; threads that never
// wait run one after the other on a single context, without any jump.
class BlockRun {
 public:
  SharedMemory shared;
  Knowledge knowledge;  // of device memory

  BlockRun();
  // Takes blocks until there are none or one of them failed.
  void run(LaunchRun& launch);

  // For Fiber. A fault does not return; the block's other threads end where they wait.
  [[noreturn]] void fault(const Fiber& f, std::string_view text);
  // The same for what is found where nothing may be thrown: the thread ends without unwinding.
  [[noreturn]] void abandon(Fiber& f, std::string_view text);
  [[noreturn]] void shared_fault(const Fiber& f, const Cell& cell, std::string_view does,
                                 std::string_view but);
  void arrive(Fiber& f, Together what, Where where);
  void arrive_at_barrier(Fiber& f, Where where);
  void pause(Fiber& f);

 private:
  friend class Fiber;
  struct Stop {};

  static void loop(void* self);
  void begin_block(int block);
  void order_warps();
  void run_thread(Fiber& f);
  void begin_on(Fiber& f, Context& context) {
    f.context_ = &context;
    f.warp_->started |= f.bit_;
    beginning_ = &f;
  }
  // Its context; takes one when it has not begun.
  Context& begun(Fiber& f) {
    if (!f.context_) begin_on(f, contexts_.take());
    return *f.context_;
  }
  // The thread that runs next; null when all have left.
  Fiber* pick() { return warp_->ready && !stopping_ ? &take_ready(*warp_) : pick_elsewhere(); }
  Fiber& take_ready(Warp& w);
  Fiber* pick_elsewhere();
  // Runs others until they have made it ready.
  void wait(Fiber& f) {
    Fiber* next = pick();
    if (next != &f) contexts_.jump(*f.context_, begun(*next));
    if constexpr (watches_memory) running = &f;
    if (stopping_) throw Stop{};
  }
  void maybe_change_warp(Fiber& f);
  Fiber* leave(Fiber& f);
  void end_pauses();
  // A thread did something else than pause.
  void progress() {
    if (idle_rounds_ == 0) return;
    idle_rounds_ = 0;
    if (std::exchange(idle_, false)) ++launch_->lively;
  }

  void note_fault(const Fiber& f, std::string_view text);
  // The first of the threads that the bits stand for.
  Fiber& fiber_at(const Warp& w, unsigned bits) {
    return fibers_[static_cast<std::size_t>(w.index * 32 + w.lane_at(std::countr_zero(bits)))];
  }
  std::string thread_text(const Warp& w, unsigned bits);
  static std::string waiting(const Warp& w);
  static std::string place_text(Where where);

  LaunchRun* launch_ = nullptr;
  Contexts contexts_{1024, loop, this};
  std::array<Fiber, 1024> fibers_;
  std::array<Warp, 32> warps_;
  std::array<unsigned char, 32> order_{};  // of the warps
  int warp_count_ = 0, block_ = 0;
  unsigned ready_warps_ = 0;    // places in order_; a warp that is not ready may still be there
  Warp* warp_ = nullptr;        // whose threads run now
  Fiber* beginning_ = nullptr;  // what the context that is jumped to begins with
  int left_ = 0, at_barrier_ = 0, paused_ = 0;
  Where barrier_where_{};
  int barrier_first_ = 0;
  bool stopping_ = false;
  // Whether warps give way to others where their lanes meet, too, or only where they must wait.
  bool changes_warps_ = false;
  Random random_;
  // Rounds in which every thread that could run only paused, and since when.
  int idle_rounds_ = 0;
  bool idle_ = false;
  std::chrono::steady_clock::time_point idle_since_{};
};

inline Fiber& BlockRun::take_ready(Warp& w) {
  const unsigned bit = w.ready & -w.ready;
  w.ready &= ~bit;
  Fiber& f = fiber_at(w, bit);
  if (!(w.started & bit)) {
    f.block = block_;
    f.launch = &launch_->info;
    f.context_ = nullptr;
    f.bit_ = bit;
    f.carves_ = 0;
    f.copies_.clear();
    f.groups_ = 0;
  } else if (w.ready & w.started) {  // the one after it
    fiber_at(w, w.ready & w.started).context_->fetch();
  }
  return f;
}

}  // namespace nz::emulated::emulator
