#include "support/failing_allocations.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr long never = -1;
std::atomic<long> before_it = never, alive = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  if (before_it.load() > never && before_it.fetch_sub(1) == 0) throw std::bad_alloc();
  // aligned_alloc wants whole multiples.
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* p = whole < bytes ? nullptr
            : alignment <= alignof(std::max_align_t)
                ? std::malloc(bytes ? bytes : 1)
                : std::aligned_alloc(alignment, whole ? whole : alignment);
  if (!p) throw std::bad_alloc();
  ++alive;
  return p;
}

void freed(void* p) noexcept {
  if (!p) return;
  --alive;
  std::free(p);
}

}  // namespace

void* operator new(std::size_t n) { return counted(n, alignof(std::max_align_t)); }
void* operator new[](std::size_t n) { return counted(n, alignof(std::max_align_t)); }
void* operator new(std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { freed(p); }
void operator delete[](void* p) noexcept { freed(p); }
void operator delete(void* p, std::size_t) noexcept { freed(p); }
void operator delete[](void* p, std::size_t) noexcept { freed(p); }
void operator delete(void* p, std::align_val_t) noexcept { freed(p); }
void operator delete[](void* p, std::align_val_t) noexcept { freed(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { freed(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { freed(p); }

namespace nz::test {

FailingAllocation::FailingAllocation(long after) { before_it = after; }
FailingAllocation::~FailingAllocation() { before_it = never; }
bool FailingAllocation::met() const { return before_it.load() <= never; }
long live_host_allocations() { return alive; }

}  // namespace nz::test

// The standard library's sorts take their room this way.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return ::operator new(size, std::nothrow);
}
