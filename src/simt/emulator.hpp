#pragma once
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simt/emulator_watch.hpp"

// Runs the threads of a GPU kernel as fibers on the host. A fiber runs until it needs the others
// of its warp or block; what they wait for together is done when the last one has come. Blocks are
// spread over OS threads. Warps, lanes and blocks run in an order drawn from a seed, a new one for
// every launch. Shared memory starts poisoned. Broken rules are DeviceFaults that name the kernel,
// the block and the thread.
namespace nz::emulated::emulator {

struct LaunchInfo {
  const char* name = "";
  int blocks = 1;
  int threads = 32;
  int max_threads = 1024;
  std::size_t shared_bytes = 0;
};

// A place in a kernel's source. What std::source_location is, which clang has from 16 on.
struct Where {
  const char* file = "";
  int line = 0;

  static constexpr Where current(const char* f = __builtin_FILE(), int l = __builtin_LINE()) {
    return {f, l};
  }
  friend bool operator==(const Where& a, const Where& b) {
    return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
  }
};

// Shared memory that a block can have: what an H200 gives.
inline constexpr std::size_t max_shared_bytes = 227 * 1024;

class BlockRun;
class Watched;
struct Context;
struct Warp;

// What the race detector remembers of one element of shared memory: who touched it last, and when.
struct Cell {
  std::uint32_t written = 0, read = 0, added = 0;   // times; before the block's beginning: not yet
  std::uint16_t writer = 0, reader = 0, adder = 0;  // added: atomically
};

// A part of shared memory, with a cell for each of its elements.
struct Carved {
  void* data;
  Cell* cells;
};

// One thread of a kernel. Functions that find a broken rule do not return.
class Fiber {
 public:
  int thread = 0;
  int block = 0;
  const LaunchInfo* launch = nullptr;

  void barrier(Where where);
  void warp_barrier(Where where);
  // What lane `from` brought.
  std::uint64_t exchange(std::uint64_t bits, int from, Where where);
  // Bit i: lane i brought true.
  unsigned vote(bool p, Where where);
  // Lets others run; a fault when all of them wait like this for too long.
  void pause(Where where);

  Carved carve(int n, std::size_t size, std::size_t alignment);
  void shared_read(Cell& cell);
  void shared_write(Cell& cell);
  void shared_atomic(Cell& cell);
  // Copies on their way: nobody may read those elements before the thread has waited for them.
  void begin_copy(Cell* cells, int n);
  void commit_copies() { ++groups_; }
  void wait_copies(int pending);
  [[noreturn]] void misaligned_copy(int bytes);
  [[noreturn]] void shared_overrun(const Cell* cells, int index, int size);
  [[noreturn]] void bad_width(int width, Where where);

  // Device memory, where it is watched. What words do tells of itself, before it does it; an atomic
  // or a coherent read hears of other blocks after it was done. All else comes through touch().
  void global_touch(const void* at, std::size_t bytes, Touch how);
  void global_acquire(const void* at);
  void global_fence();
  void touched(Watched& array, std::size_t offset, std::size_t bytes, Touch how, bool inside,
               std::uintptr_t code);

 private:
  friend class BlockRun;
  BlockRun* run_ = nullptr;
  Warp* warp_ = nullptr;
  Context* context_ = nullptr;  // null before it starts
  unsigned bit_ = 0;            // its place in the order of its warp's lanes
  int carves_ = 0;              // how many parts it has taken of shared memory
  struct Copy {
    Cell* cells;
    int n;
    int group;
  };
  std::vector<Copy> copies_;
  int groups_ = 0;  // committed
  Where paused_at_{};
  std::jmp_buf way_out_;  // from a fault that is found where nothing may be thrown
};

using Body = void (*)(const void* kernel, Fiber& fiber);

// Runs the whole grid and waits. Throws DeviceFault for a broken rule, InvalidArgument for a launch
// that no device can take (threads not whole warps, too much shared memory).
void run(const LaunchInfo& launch, Body body, const void* kernel);

// Launches count their seeds from this one on; 1 at first.
void set_seed(std::uint64_t seed);
// Every launch has this seed, so that one that failed with it runs as it did wherever it comes:
// what NZ_EMU_SEED does from the beginning. Until set_seed().
void pin_seed(std::uint64_t seed);
// Of the next launch.
std::uint64_t seed();

}  // namespace nz::emulated::emulator
