#pragma once
#include <cstddef>
#include <cstdint>
#include <source_location>

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

class BlockRun;

// One thread of a kernel. Functions that find a broken rule do not return.
class Fiber {
 public:
  int thread = 0;
  int block = 0;
  const LaunchInfo* launch = nullptr;

  void barrier(std::source_location where);
  void warp_barrier(std::source_location where);
  // What lane `from` brought.
  std::uint64_t exchange(std::uint64_t bits, int from, std::source_location where);
  // Bit i: lane i brought true.
  unsigned vote(bool p, std::source_location where);
  // Lets others run; a fault when all of them wait like this for too long.
  void pause(std::source_location where);

  void* carve(std::size_t bytes, std::size_t alignment);
  void shared_read(const void* at, std::size_t bytes, std::source_location where);
  void shared_write(const void* at, std::size_t bytes, std::source_location where);
  void shared_atomic(const void* at, std::size_t bytes);
  [[noreturn]] void shared_overrun(int index, int size);

 private:
  friend class BlockRun;
  BlockRun* run_ = nullptr;
};

using Body = void (*)(const void* kernel, Fiber& fiber);

// Runs the whole grid and waits. Throws DeviceFault for a broken rule, InvalidArgument for a launch
// that no device can take (threads not whole warps, too much shared memory).
void run(const LaunchInfo& launch, Body body, const void* kernel);

// The seed of the next launch; later ones follow from it. Default: NZ_EMU_SEED, or 1.
void set_seed(std::uint64_t seed);
std::uint64_t seed();

}  // namespace nz::emulated::emulator
