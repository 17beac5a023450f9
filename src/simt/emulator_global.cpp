#include <dlfcn.h>

#include <array>
#include <atomic>
#include <csetjmp>
#include <cstring>

#include <fmt/format.h>

#include "simt/emulator_block.hpp"
#include "simt/emulator_shadow.hpp"
#include "simt/emulator_watch.hpp"

// The rules of device memory, for one access of a kernel at a time.
namespace nz::emulated::emulator {

thread_local Fiber* running = nullptr;

namespace {

// Blocks on several OS threads look at the same words.
class WordLock {
 public:
  WordLock(const Watched& w, std::size_t word, bool needed) {
    if (!needed) return;
    flag_ = &flags[(reinterpret_cast<std::uintptr_t>(w.begin) / 4 + word) % flags.size()];
    while (flag_->test_and_set(std::memory_order_acquire)) {
    }
  }
  ~WordLock() {
    if (flag_) flag_->clear(std::memory_order_release);
  }
  WordLock(const WordLock&) = delete;
  WordLock& operator=(const WordLock&) = delete;

 private:
  static inline std::array<std::atomic_flag, 1024> flags{};
  std::atomic_flag* flag_ = nullptr;
};

const char* verb(Touch how) {
  switch (how) {
    case Touch::read:
    case Touch::coherent:
      return "reads";
    case Touch::constant:
      return "loads (as constant)";
    case Touch::write:
      return "writes";
    case Touch::atomic:
      break;
  }
  return "adds to";
}

// The place in the program of an instruction before `code`, for addr2line.
std::string code_text(std::uintptr_t code) {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(code), &info) || !info.dli_fname)
    return fmt::format("{:#x}", code - 1);
  const char* file = info.dli_fname;
  if (const char* slash = std::strrchr(file, '/')) file = slash + 1;
  return fmt::format("{}+{:#x}", file, code - 1 - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
}

// Looks whether an access breaks a rule, and leaves its trace.
struct Look {
  const Knowledge& order;
  int thread;
  std::uint32_t launch;
  Touch how;
  std::uint32_t code;

  // Which earlier access has no order with this one; -1: none.
  int conflict(const Traces& t) const {
    if (t.launch != launch) return -1;
    const auto clash = [&](Traces::Kind k) {
      return t.stamp[k] && !order.ordered(t.stamp[k], thread, k == Traces::added);
    };
    switch (how) {
      case Touch::constant:
        if (t.stamp[Traces::written]) return Traces::written;
        return t.stamp[Traces::added] ? Traces::added : -1;
      case Touch::read:
        if (clash(Traces::added)) return Traces::added;
        [[fallthrough]];
      case Touch::coherent:
        return clash(Traces::written) ? Traces::written : -1;
      case Touch::write:
        if (clash(Traces::added)) return Traces::added;
        break;
      case Touch::atomic:
        break;
    }
    if (clash(Traces::written)) return Traces::written;
    for (const auto k : {Traces::read, Traces::read_before})
      if (clash(k) && !(how == Touch::atomic && t.stamp[k].coherent())) return k;
    return -1;
  }

  void trace(Traces& t) const {
    if (t.launch != launch) {
      t.stamp = {};
      t.launch = launch;
      t.split = false;
    }
    const Stamp now = order.stamp(thread, how == Touch::coherent);
    const auto put = [&](Traces::Kind k, Stamp s) {
      t.stamp[k] = s;
      t.code[k] = code;
    };
    if (how == Touch::write) {  // after all that came before
      t.stamp = {};
      put(Traces::written, now);
    } else if (how == Touch::atomic) {
      put(Traces::added, now);
    } else {
      const Stamp last = t.stamp[Traces::read];
      const bool same = last.by_same(now);
      if (last && !same && !order.ordered(last, thread, false)) {
        t.stamp[Traces::read_before] = last;
        t.code[Traces::read_before] = t.code[Traces::read];
      }
      // One plain read is enough to clash with atomics.
      if (!(same && now.coherent() && !last.coherent())) put(Traces::read, now);
    }
  }

  // Both, for a word and its bytes [first, last). `other`: what it has no order with.
  bool visit(Watched& w, std::size_t word, std::size_t first, std::size_t last, Traces& other,
             int& kind) const {
    Traces& whole = w.word(word);
    const auto clashes = [&](const Traces& t) {
      kind = conflict(t);
      if (kind >= 0) other = t;
      return kind >= 0;
    };
    if (clashes(whole)) return false;
    const bool part = last - first < 4, split = whole.launch == launch && whole.split;
    Traces* bytes = part || split ? w.bytes_at(word * 4) : nullptr;
    if (!bytes && (part || split)) return false;
    if (split)
      for (std::size_t b = first; b < last; ++b)
        if (clashes(bytes[b])) return false;
    if (!part) {
      trace(whole);
      return true;
    }
    if (!split) {
      if (whole.launch != launch) {
        whole.stamp = {};
        whole.launch = launch;
      }
      whole.split = true;
      for (std::size_t b = 0; b < 4; ++b) bytes[b] = {};
    }
    for (std::size_t b = first; b < last; ++b) trace(bytes[b]);
    return true;
  }
};

std::string element_text(const Watched& w, std::size_t offset, std::size_t bytes) {
  return fmt::format("element {} (of {} bytes) of device array {} of {} bytes",
                     static_cast<std::ptrdiff_t>(offset) / static_cast<std::ptrdiff_t>(bytes),
                     bytes, w.number, w.bytes);
}

}  // namespace

void touch(const void* at, std::size_t bytes, Touch how, const void* code) {
  Watched* w = watched_at(at);
  if (!w) return;
  const auto offset = static_cast<std::size_t>(static_cast<const unsigned char*>(at) - w->begin);
  const bool inside = offset <= w->bytes && bytes <= w->bytes - offset;
  if (running)
    running->touched(*w, offset, bytes, how, inside, reinterpret_cast<std::uintptr_t>(code));
  else if (inside && how == Touch::write)
    std::memset(w->written() + offset, 1, bytes);
}

void Fiber::touched(Watched& w, std::size_t offset, std::size_t bytes, Touch how, bool inside,
                    std::uintptr_t code) {
  if (!inside) [[unlikely]]
    run_->abandon(*this, fmt::format("{} {}, which is outside of it; at {}", verb(how),
                                     element_text(w, offset, bytes), code_text(code)));
  if (how == Touch::write) {
    std::memset(w.written() + offset, 1, bytes);
  } else if (std::memchr(w.written() + offset, 0, bytes)) [[unlikely]] {
    run_->abandon(*this, fmt::format("{} {}, which nobody wrote; at {}", verb(how),
                                     element_text(w, offset, bytes), code_text(code)));
  }
  const LaunchRun& whole = *run_->launch_;
  const Look look{run_->knowledge, thread, whole.id, how, static_cast<std::uint32_t>(code)};
  for (std::size_t word = offset / 4; word * 4 < offset + bytes; ++word) {
    const std::size_t first = word * 4 < offset ? offset - word * 4 : 0;
    const std::size_t last = std::min<std::size_t>(4, offset + bytes - word * 4);
    Traces other;
    int kind = -1;
    bool good;
    {
      const WordLock lock(w, word, whole.several);
      good = look.visit(w, word, first, last, other, kind);
    }
    if (good) [[likely]]
      continue;
    if (kind < 0) {
      run_->launch_->lack_memory();
      run_->abandon(*this, "no memory to watch device memory with");
    }
    constexpr const char* did[] = {"wrote", "added to", "read", "read"};
    const auto k = static_cast<std::size_t>(kind);
    const Stamp s = other.stamp[k];
    run_->abandon(
        *this, fmt::format("{} {}, which thread {} of block {} {}, and nothing orders "
                           "the two; at {}, the other at {}",
                           verb(how), element_text(w, offset, bytes), s.thread(), s.block(), did[k],
                           code_text(code),
                           code_text((code & ~std::uintptr_t{0xffffffffu}) | other.code[k])));
  }
}

void Fiber::global_touch(const void* at, std::size_t bytes, Touch how) {
  const void* code = __builtin_return_address(0);
  if (how == Touch::atomic || how == Touch::coherent) {
    Meetings& meetings = run_->launch_->meetings;
    touch(at, bytes, how, code);
    if (how == Touch::atomic) run_->knowledge.release(thread, at, meetings);
  } else {
    touch(at, bytes, how, code);
  }
}

void Fiber::global_acquire(const void* at) {
  run_->knowledge.acquire(thread, at, run_->launch_->meetings);
}

void Fiber::global_fence() { run_->knowledge.fence(thread); }

void BlockRun::abandon(Fiber& f, std::string_view text) {
  note_fault(f, text);
  std::longjmp(f.way_out_, 1);
}

}  // namespace nz::emulated::emulator
