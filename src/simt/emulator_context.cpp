#include "simt/emulator_context.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include <boost/context/preallocated.hpp>
#include <nonzero/error.hpp>

namespace nz::emulated::emulator {
namespace {

#ifdef NZ_ASAN
constexpr std::size_t stack_bytes = 256 * 1024;
#else
constexpr std::size_t stack_bytes = 64 * 1024;
#endif
constexpr int stacks_at_once = 32;
// A guard page splits a mapping, and a process can have 65530 of them.
constexpr int max_guards = 8192;
std::atomic<int> guards{0};

// The stacks stay.
struct NoStackAllocator {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

void Contexts::map_stacks() {
  constexpr std::size_t bytes = stacks_at_once * stack_bytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw NoResource("no memory for the stacks of the emulator's threads");
#ifdef MADV_NOHUGEPAGE
  madvise(memory, bytes, MADV_NOHUGEPAGE);  // a thread needs a page or two of its stack
#endif
  unused_ = static_cast<char*>(memory);
  unused_stacks_ = stacks_at_once;
}

void Contexts::add() {
  if (unused_stacks_ == 0) map_stacks();
  Context* c = &all_[count_];
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (guards.fetch_add(1) < max_guards) mprotect(unused_, page, PROT_NONE);
  c->bottom = unused_ + page;
  c->size = stack_bytes - page;
  // Tops of stacks at the same place of their pages would share a few sets of the cache.
  const std::size_t colour = count_ % 32 * 512;
  boost::context::stack_context whole;
  whole.sp = unused_ + stack_bytes;
  whole.size = c->size;
  c->next = boost::context::fiber(
      std::allocator_arg,
      boost::context::preallocated(unused_ + stack_bytes - colour, c->size - colour, whole),
      NoStackAllocator(), [this, c](boost::context::fiber&& before) {
        arrived(*c, std::move(before));
        loop_(argument_);
        return std::move(home_.next);  // not reached
      });
  unused_ += stack_bytes;
  --unused_stacks_;
  ++count_;
  free_.push_back(c);
}

}  // namespace nz::emulated::emulator
