#include "simt/emulator_block.hpp"

#include <bit>
#include <exception>
#include <new>
#include <numeric>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz::emulated::emulator {

BlockRun::BlockRun() {
  for (int t = 0; t < 1024; ++t) {
    Fiber& f = fibers_[static_cast<std::size_t>(t)];
    f.thread = t;
    f.run_ = this;
    f.warp_ = &warps_[static_cast<std::size_t>(t / 32)];
  }
  for (int w = 0; w < 32; ++w) warps_[static_cast<std::size_t>(w)].index = w;
}

void BlockRun::run(LaunchRun& launch) {
  launch_ = &launch;
  warp_count_ = launch.info.threads / 32;
  for (int block; (block = launch.take_block()) >= 0;) {
    begin_block(block);
    if (Fiber* first = pick()) contexts_.jump(contexts_.home(), begun(*first));
  }
  running = nullptr;
  progress();
}

void BlockRun::begin_block(int block) {
  block_ = block;
  random_ = Random(launch_->seed ^ (static_cast<std::uint64_t>(block) + 1) * 0xd1342543de82ef95u);
  shared.begin_block(launch_->info.shared_bytes);
  if constexpr (watches_memory) knowledge.begin_block(static_cast<std::uint32_t>(block));
  left_ = at_barrier_ = paused_ = 0;
  stopping_ = false;
  changes_warps_ = warp_count_ > 1 && random_.next() % 2 == 0;
  progress();
  for (int w = 0; w < warp_count_; ++w) {
    Warp& warp = warps_[static_cast<std::size_t>(w)];
    warp.ready = all_lanes;
    warp.started = warp.left = warp.paused = warp.at_barrier = warp.arrived = 0;
    warp.votes = {};
    warp.sync = 0;
    const std::uint64_t drawn = random_.next();
    warp.step = static_cast<unsigned>(drawn) | 1u;
    warp.first = static_cast<unsigned>(drawn >> 32);
    order_[static_cast<std::size_t>(w)] = static_cast<unsigned char>(w);
  }
  order_warps();
}

void BlockRun::order_warps() {
  for (int i = warp_count_ - 1; i > 0; --i)
    std::swap(order_[static_cast<std::size_t>(i)],
              order_[random_.below(static_cast<std::uint32_t>(i) + 1)]);
  for (int i = 0; i < warp_count_; ++i) warps_[order_[static_cast<std::size_t>(i)]].place = 1u << i;
  ready_warps_ = warp_count_ == 32 ? ~0u : (1u << warp_count_) - 1;
  warp_ = &warps_[order_[0]];
}

// What a context does: threads, from their beginning to their end.
void BlockRun::loop(void* run) {
  BlockRun& self = *static_cast<BlockRun*>(run);
  for (;;) {
    Fiber& f = *self.beginning_;
    self.run_thread(f);
    Context& here = *f.context_;
    Fiber* next = self.leave(f);
    if (next && !next->context_) {
      self.begin_on(*next, here);
      continue;
    }
    self.contexts_.put_back(here);
    self.contexts_.jump(here, next ? *next->context_ : self.contexts_.home());
  }
}

void BlockRun::run_thread(Fiber& f) {
  if constexpr (watches_memory) {
    running = &f;
    if (setjmp(f.way_out_) != 0) return;
  }
  try {
    launch_->body(launch_->kernel, f);
  } catch (const Stop&) {
  } catch (const NoResource& e) {
    launch_->lack_memory();
    note_fault(f, e.what());
  } catch (const std::bad_alloc& e) {
    launch_->lack_memory();
    note_fault(f, e.what());
  } catch (const std::exception& e) {
    note_fault(f, fmt::format("threw an exception: {}", e.what()));
  } catch (...) {
    note_fault(f, "threw an exception");
  }
}

Fiber* BlockRun::pick_elsewhere() {
  if (launch_->stopped()) stopping_ = true;
  while (!stopping_) {
    if (warp_->ready) return &take_ready(*warp_);
    ready_warps_ &= ~warp_->place;
    if (ready_warps_)
      warp_ = &warps_[order_[static_cast<std::size_t>(std::countr_zero(ready_warps_))]];
    else if (left_ == launch_->info.threads)
      return nullptr;
    else
      end_pauses();
  }
  // Those that wait are woken, to end where they are.
  for (int w = 0; w < warp_count_; ++w) {
    Warp& warp = warps_[static_cast<std::size_t>(w)];
    if (const unsigned there = warp.started & ~warp.left) return &fiber_at(warp, there & -there);
  }
  return nullptr;
}

Fiber* BlockRun::leave(Fiber& f) {
  Warp& w = *f.warp_;
  w.left |= f.bit_;
  ++left_;
  if (!stopping_ && w.arrived)
    note_fault(f,
               fmt::format("has left, but {} waits at {}", thread_text(w, w.arrived), waiting(w)));
  else if (!stopping_ && at_barrier_ > 0)
    note_fault(f, fmt::format("has left, but thread {} waits at the barrier at {}", barrier_first_,
                              place_text(barrier_where_)));
  progress();
  return pick();
}

void BlockRun::pause(Fiber& f) {
  f.warp_->paused |= f.bit_;
  ++paused_;
  wait(f);
}

// Everybody who can run has paused: lets them look again what they wait for. A block on another OS
// thread may bring it; when all OS threads have had nothing else to do for long, nobody will.
void BlockRun::end_pauses() {
  using Time = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::milliseconds(1500);
  Fiber* somebody = nullptr;
  for (int w = 0; w < warp_count_; ++w) {
    Warp& warp = warps_[static_cast<std::size_t>(w)];
    if (!warp.paused) continue;
    if (!somebody) somebody = &fiber_at(warp, warp.paused & -warp.paused);
    warp.ready |= std::exchange(warp.paused, 0u);
    ready_warps_ |= warp.place;
  }
  paused_ = 0;
  if (!somebody) {  // cannot be: who waits for those that will not come is found out at once
    note_fault(fibers_[0], "waits for ever");
    return;
  }
  if (++idle_rounds_ == 1) idle_since_ = Time::now();
  if (idle_rounds_ > 2) std::this_thread::yield();
  if (idle_rounds_ % 256 != 0) return;
  const auto now = Time::now();
  if (!idle_ && now - idle_since_ > patience) {
    idle_ = true;
    --launch_->lively;
    idle_since_ = now;
  }
  // What the last lively one did may not have been seen yet: so patience once more.
  if (!idle_ || launch_->lively > 0)
    idle_since_ = idle_ ? now : idle_since_;
  else if (now - idle_since_ > patience)
    note_fault(*somebody, fmt::format("waits with pause() at {} for what never comes",
                                      place_text(somebody->paused_at_)));
}

}  // namespace nz::emulated::emulator
