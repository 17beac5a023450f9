#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include <boost/context/fiber.hpp>

#include "simt/sanitizers.hpp"

// Stacks that run beside the one of the OS thread, and jumps between them.
namespace nz::emulated::emulator {

// A stack and where it goes on. Sanitizers are told of every jump.
struct Context {
  boost::context::fiber next;  // empty while it runs
  const void* bottom = nullptr;
  std::size_t size = 0;
  void* fake_stack = nullptr;  // the address sanitizer's
  char* top = nullptr;         // of its stack when it was left

  // Begins to fetch what the jump to it will read: stacks of a large block do not fit in the
  // first cache.
  void fetch() const {
    for (int line = 0; line < 4; ++line) __builtin_prefetch(top - 192 + 64 * line);
  }
};

// Up to `most` contexts that one OS thread at a time uses, made as they are needed and kept to the
// end of the program. Each runs loop(argument), which jumps away when it has nothing to do and
// never returns.
class Contexts {
 public:
  Contexts(int most, void (*loop)(void*), void* argument)
      : loop_(loop), argument_(argument), all_(std::make_unique<Context[]>(most)) {
    free_.reserve(most);
  }
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  // One that has nothing to do. Throws NoResource when there is no memory for its stack.
  Context& take() {
    if (free_.empty()) add();
    Context& c = *free_.back();
    free_.pop_back();
    return c;
  }
  void put_back(Context& c) { free_.push_back(&c); }

  Context& home() { return home_; }  // the OS thread's own stack

  void jump(Context& from, Context& to) {
    leaving_ = &from;
    from.top = static_cast<char*>(__builtin_frame_address(0));
#ifdef NZ_ASAN
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.size);
#endif
    auto before = std::move(to.next).resume();
    arrived(from, std::move(before));
  }

 private:
  void add();
  void map_stacks();
  void arrived(Context& here, boost::context::fiber&& before) {
#ifdef NZ_ASAN
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(here.fake_stack, &bottom, &size);
    if (leaving_ == &home_) {
      home_.bottom = bottom;
      home_.size = size;
    }
#else
    static_cast<void>(here);
#endif
    leaving_->next = std::move(before);
  }

  void (*loop_)(void*);
  void* argument_;
  Context home_;
  Context* leaving_ = nullptr;
  std::unique_ptr<Context[]> all_;
  int count_ = 0;
  std::vector<Context*> free_;
  char* unused_ = nullptr;  // the next stack of those mapped
  int unused_stacks_ = 0;
};

}  // namespace nz::emulated::emulator
