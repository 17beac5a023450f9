#include "simt/emulator_shared.hpp"

#include <cstring>
#include <limits>
#include <new>

#include <fmt/format.h>

#include "simt/emulator_block.hpp"

namespace nz::emulated::emulator {

void SharedMemory::begin_block(std::size_t bytes) {
  if (bytes > 0 && (!memory_ || !cells_)) {  // one may have failed before
    memory_.reset(static_cast<unsigned char*>(std::aligned_alloc(64, max_shared_bytes)));
    cells_.reset(static_cast<Cell*>(std::calloc(max_shared_bytes, sizeof(Cell))));
    if (!memory_ || !cells_) throw std::bad_alloc();
  }
  bytes_ = bytes;
  used_ = cells_used_ = 0;
  parts_.clear();
  if (clock.now > std::numeric_limits<std::uint32_t>::max() / 2) {  // long before it comes around
    if (cells_) std::memset(static_cast<void*>(cells_.get()), 0, max_shared_bytes * sizeof(Cell));
    clock.now = 1;
  }
  clock.begin = clock.barrier = ++clock.now;
}

bool SharedMemory::add(int n, std::size_t size, std::size_t alignment) {
  const std::size_t at = (used_ + alignment - 1) / alignment * alignment;
  const std::size_t bytes = static_cast<std::size_t>(n) * size;
  if (at > bytes_ || bytes > bytes_ - at) return false;
  parts_.push_back({at, cells_used_, n, size, alignment});
  used_ = at + bytes;
  cells_used_ += static_cast<std::size_t>(n);
  if (bytes > 0) std::memset(memory_.get() + at, 0xff, bytes);
  return true;
}

SharedMemory::Place SharedMemory::place(const Cell* cell) const {
  const auto i = static_cast<std::size_t>(cell - cells_.get());
  std::size_t p = 0;
  while (p + 1 < parts_.size() && parts_[p + 1].cells_at <= i) ++p;
  return {static_cast<int>(p), static_cast<int>(i - parts_[p].cells_at)};
}

namespace {

// Who touched a cell: a thread, several of a warp, several warps.
constexpr unsigned several_of_warp = 1024, several_warps = 2048;

bool within(unsigned who, int warp) {
  return who < several_of_warp ? who / 32 == static_cast<unsigned>(warp)
                               : who == several_of_warp + static_cast<unsigned>(warp);
}

std::string who_text(unsigned who) {
  if (who >= several_warps) return "threads of other warps";
  if (who >= several_of_warp) return fmt::format("other threads of warp {}", who - several_of_warp);
  return fmt::format("thread {}", who);
}

std::string out_of_order(unsigned who, const char* did) {
  return fmt::format("which {} {} with no barrier between", who_text(who), did);
}

// The rules of order for one access by a thread.
struct Access {
  const Clock& clock;
  unsigned thread;
  int warp;
  std::uint32_t warp_sync;

  bool ordered(std::uint32_t time, unsigned who) const {
    return time < clock.barrier || who == thread || (time < warp_sync && within(who, warp));
  }
  // Adds the thread to those that have done the same since they were last in order.
  void note(std::uint32_t& time, std::uint16_t& who) const {
    if (ordered(time, who))
      who = static_cast<std::uint16_t>(thread);
    else
      who = static_cast<std::uint16_t>(
          within(who, warp) ? several_of_warp + static_cast<unsigned>(warp) : several_warps);
    time = clock.now;
  }
};

}  // namespace

Carved Fiber::carve(int n, std::size_t size, std::size_t alignment) {
  SharedMemory& shared = run_->shared;
  const auto k = static_cast<std::size_t>(carves_++);
  if (k == shared.parts().size()) {
    if (n < 0) run_->fault(*this, fmt::format("asks for {} elements of shared memory", n));
    if (!shared.add(n, size, alignment))
      run_->fault(*this, fmt::format("asks for {} elements of {} bytes of shared memory beyond the "
                                     "{} bytes taken; the launch gave {}",
                                     n, size, shared.used(), launch->shared_bytes));
  }
  const auto& part = shared.parts()[k];
  if (part.n != n || part.size != size || part.alignment != alignment)
    run_->fault(*this, fmt::format("asks for {} elements of {} bytes as shared array {}, which "
                                   "another thread made of {} elements of {} bytes",
                                   n, size, k, part.n, part.size));
  return shared.carved(part);
}

void Fiber::shared_read(Cell& cell) {
  const Access a{run_->shared.clock, static_cast<unsigned>(thread), thread / 32, warp_->sync};
  if (cell.written < a.clock.begin) [[unlikely]]
    run_->shared_fault(*this, cell, "reads", "which nobody wrote");
  if (!a.ordered(cell.written, cell.writer)) [[unlikely]]
    run_->shared_fault(*this, cell, "reads", out_of_order(cell.writer, "wrote"));
  if (!a.ordered(cell.added, cell.adder)) [[unlikely]]
    run_->shared_fault(*this, cell, "reads", out_of_order(cell.adder, "added to"));
  a.note(cell.read, cell.reader);
}

void Fiber::shared_write(Cell& cell) {
  const Access a{run_->shared.clock, static_cast<unsigned>(thread), thread / 32, warp_->sync};
  if (!a.ordered(cell.written, cell.writer)) [[unlikely]]
    run_->shared_fault(*this, cell, "writes", out_of_order(cell.writer, "wrote"));
  if (!a.ordered(cell.read, cell.reader)) [[unlikely]]
    run_->shared_fault(*this, cell, "writes", out_of_order(cell.reader, "read"));
  if (!a.ordered(cell.added, cell.adder)) [[unlikely]]
    run_->shared_fault(*this, cell, "writes", out_of_order(cell.adder, "added to"));
  a.note(cell.written, cell.writer);
}

void Fiber::begin_copy(Cell* cells, int n) {
  for (int k = 0; k < n; ++k) {
    shared_write(cells[k]);
    cells[k].written = 0;  // not yet
  }
  copies_.push_back({cells, n, groups_});
}

void Fiber::wait_copies(int pending) {
  const Access a{run_->shared.clock, static_cast<unsigned>(thread), thread / 32, warp_->sync};
  std::erase_if(copies_, [&](const Copy& c) {
    if (c.group >= groups_ - pending) return false;
    for (int k = 0; k < c.n; ++k) a.note(c.cells[k].written, c.cells[k].writer);
    return true;
  });
}

void Fiber::misaligned_copy(int bytes) {
  run_->fault(*this,
              fmt::format("copies {} bytes from or to a place not aligned for so many", bytes));
}

void Fiber::shared_atomic(Cell& cell) {
  const Access a{run_->shared.clock, static_cast<unsigned>(thread), thread / 32, warp_->sync};
  if (cell.written < a.clock.begin) [[unlikely]]
    run_->shared_fault(*this, cell, "adds to", "which nobody wrote");
  if (!a.ordered(cell.written, cell.writer)) [[unlikely]]
    run_->shared_fault(*this, cell, "adds to", out_of_order(cell.writer, "wrote"));
  if (!a.ordered(cell.read, cell.reader)) [[unlikely]]
    run_->shared_fault(*this, cell, "adds to", out_of_order(cell.reader, "read"));
  a.note(cell.added, cell.adder);
}

void Fiber::shared_overrun(const Cell* cells, int index, int size) {
  run_->fault(*this, fmt::format("element {} of shared array {}, which has {}", index,
                                 run_->shared.place(cells).part, size));
}

}  // namespace nz::emulated::emulator
