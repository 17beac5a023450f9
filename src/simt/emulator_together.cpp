#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "simt/emulator_block.hpp"

// What threads do together: collectives of a warp, barriers of a block, and the faults they find.
namespace nz::emulated::emulator {

std::string BlockRun::place_text(Where where) {
  const char* file = where.file;
  if (const char* slash = std::strrchr(file, '/')) file = slash + 1;
  return fmt::format("{}:{}", file, where.line);
}

std::string BlockRun::thread_text(const Warp& w, unsigned bits) {
  const int t = fiber_at(w, bits).thread;
  return fmt::format("thread {} (warp {}, lane {})", t, t / 32, t % 32);
}

// What the warp's lanes wait at.
std::string BlockRun::waiting(const Warp& w) {
  const char* what = w.what == Together::shuffle ? "shuffle"
                     : w.what == Together::vote  ? "vote"
                                                 : "warp barrier";
  return fmt::format("the {} at {}", what, place_text(w.where));
}

void BlockRun::note_fault(const Fiber& f, std::string_view text) {
  stopping_ = true;
  launch_->fail(fmt::format(
      "kernel {}, block {}, thread {} (warp {}, lane {}): {} (NZ_EMU_SEED={})", launch_->info.name,
      block_, f.thread, f.thread / 32, f.thread % 32, text, launch_->seed));
}

void BlockRun::fault(const Fiber& f, std::string_view text) {
  note_fault(f, text);
  throw Stop{};
}

void BlockRun::shared_fault(const Fiber& f, const Cell& cell, std::string_view does,
                            std::string_view but) {
  const auto [part, index] = shared.place(&cell);
  fault(f, fmt::format("{} element {} of shared array {}, {}", does, index, part, but));
}

void BlockRun::arrive(Fiber& f, Together what, Where where) {
  Warp& w = *f.warp_;
  if (w.arrived == 0) {
    w.what = what;
    w.where = where;
    if (w.left | w.at_barrier) [[unlikely]]
      fault(f, fmt::format(
                   "waits at {}, but {} {}", waiting(w),
                   thread_text(w, w.left ? w.left : w.at_barrier),
                   w.left ? "has left" : "waits at the barrier at " + place_text(barrier_where_)));
  } else if (w.what != what || w.where != where) [[unlikely]] {
    const std::string other = waiting(w);
    w.what = what;
    w.where = where;
    fault(f, fmt::format("waits at {}, but {} waits at {}", waiting(w), thread_text(w, w.arrived),
                         other));
  }
  w.arrived |= f.bit_;
  if (w.arrived != all_lanes) {
    wait(f);
    return;
  }
  w.arrived = 0;
  w.votes[++w.generation % 2] = 0;
  w.ready = all_lanes & ~f.bit_;
  if (what == Together::barrier) w.sync = ++shared.clock.now;
  if constexpr (watches_memory) {
    if (what == Together::barrier)
      knowledge.warp_barrier(w.index);
    else
      knowledge.meet(w.index);
  }
  if (launch_->stopped()) stopping_ = true;
  progress();
  if (changes_warps_) maybe_change_warp(f);
}

// Now and then another warp goes on first.
void BlockRun::maybe_change_warp(Fiber& f) {
  const unsigned others = ready_warps_ & ~f.warp_->place;
  const std::uint64_t drawn = random_.next();
  if (!others || drawn % 4 != 0) return;
  const unsigned later = others & (~0u << (drawn >> 32) % 32);
  warp_ = &warps_[order_[static_cast<std::size_t>(std::countr_zero(later ? later : others))]];
  f.warp_->ready |= f.bit_;
  wait(f);
}

void BlockRun::arrive_at_barrier(Fiber& f, Where where) {
  Warp& w = *f.warp_;
  if (w.arrived)
    fault(f, fmt::format("waits at the barrier at {}, but {} waits at {}", place_text(where),
                         thread_text(w, w.arrived), waiting(w)));
  if (left_ > 0)
    for (const Warp& other : warps_)
      if (other.index < warp_count_ && other.left)
        fault(f, fmt::format("waits at the barrier at {}, but {} has left", place_text(where),
                             thread_text(other, other.left)));
  if (at_barrier_ == 0) {
    barrier_where_ = where;
    barrier_first_ = f.thread;
  } else if (barrier_where_ != where) {
    fault(f, fmt::format("waits at the barrier at {}, but thread {} at the barrier at {}",
                         place_text(where), barrier_first_, place_text(barrier_where_)));
  }
  w.at_barrier |= f.bit_;
  if (++at_barrier_ < launch_->info.threads) {
    wait(f);
    return;
  }
  at_barrier_ = 0;
  for (int i = 0; i < warp_count_; ++i) {
    warps_[static_cast<std::size_t>(i)].ready = all_lanes;
    warps_[static_cast<std::size_t>(i)].at_barrier = 0;
  }
  w.ready = all_lanes & ~f.bit_;
  shared.clock.barrier = ++shared.clock.now;
  if constexpr (watches_memory) knowledge.barrier();
  order_warps();
  progress();
}

void Fiber::barrier(Where where) { run_->arrive_at_barrier(*this, where); }

void Fiber::warp_barrier(Where where) { run_->arrive(*this, Together::barrier, where); }

std::uint64_t Fiber::exchange(std::uint64_t bits, int from, Where where) {
  if (from < 0 || from > 31) run_->fault(*this, fmt::format("shuffles from lane {}", from));
  auto& brought = warp_->brought[warp_->generation % 2];
  brought[static_cast<std::size_t>(thread % 32)] = bits;
  run_->arrive(*this, Together::shuffle, where);
  return brought[static_cast<std::size_t>(from)];
}

unsigned Fiber::vote(bool p, Where where) {
  auto& votes = warp_->votes[warp_->generation % 2];
  if (p) votes |= 1u << (thread % 32);
  run_->arrive(*this, Together::vote, where);
  return votes;
}

void Fiber::pause(Where where) {
  paused_at_ = where;
  run_->pause(*this);
}

void Fiber::bad_width(int width, Where where) {
  run_->fault(*this, fmt::format("shuffles with width {} at {}: it is 1, 2, 4, 8, 16 or 32", width,
                                 BlockRun::place_text(where)));
}

}  // namespace nz::emulated::emulator
