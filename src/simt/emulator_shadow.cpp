#include "simt/emulator_shadow.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "simt/emulator_watch.hpp"

namespace nz::emulated::emulator {
namespace {

constexpr int page_bits = 12, table_bits = 20;
constexpr std::size_t table_pages = std::size_t{1} << table_bits;

// Two levels: 4 GiB each, and their pages. Tables stay.
using Table = std::atomic<Watched*>;
std::array<std::atomic<Table*>, 1u << 16> tables;
std::mutex tables_guard;
unsigned allocations = 0;

std::uintptr_t page_of(const void* at) { return reinterpret_cast<std::uintptr_t>(at) >> page_bits; }

std::atomic<Table*>& table_of(std::uintptr_t page) { return tables[page >> table_bits & 0xffffu]; }

// False: no memory for a table.
bool enter(std::uintptr_t first, std::uintptr_t last, Watched* who) {
  for (std::uintptr_t page = first; page <= last; ++page) {
    Table* table = table_of(page).load(std::memory_order_relaxed);
    if (!table) {
      void* memory = mmap(nullptr, table_pages * sizeof(Table), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) return false;
      table = static_cast<Table*>(memory);
      table_of(page).store(table, std::memory_order_release);
    }
    table[page & (table_pages - 1)].store(who, std::memory_order_release);
  }
  return true;
}

void leave(std::uintptr_t first, std::uintptr_t last) {
  for (std::uintptr_t page = first; page <= last; ++page)
    if (Table* table = table_of(page).load(std::memory_order_relaxed))
      table[page & (table_pages - 1)].store(nullptr, std::memory_order_release);
}

}  // namespace

Watched::Memory::Memory(std::size_t bytes) {
  constexpr std::size_t large = std::size_t{1} << 20;
  if (bytes < large) {
    data_ = std::calloc(bytes ? bytes : 1, 1);
    return;
  }
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  data_ = memory;
  mapped_ = bytes;
}

Watched::Memory::~Memory() {
  if (mapped_)
    munmap(data_, mapped_);
  else
    std::free(data_);
}

Traces* Watched::bytes_at(std::size_t i) {
  Traces* all = byte_traces_.load(std::memory_order_acquire);
  if (!all) {
    const std::lock_guard lock(guard_);
    if (!bytes_memory_)
      bytes_memory_.reset(new (std::nothrow) Memory((bytes + 3) / 4 * 4 * sizeof(Traces)));
    if (!bytes_memory_ || !bytes_memory_->made()) return nullptr;
    all = static_cast<Traces*>(bytes_memory_->data());
    byte_traces_.store(all, std::memory_order_release);
  }
  return all + i;
}

Watched* watched_at(const void* address) {
  const std::uintptr_t page = page_of(address);
  const Table* table = table_of(page).load(std::memory_order_acquire);
  return table ? table[page & (table_pages - 1)].load(std::memory_order_acquire) : nullptr;
}

bool watch(unsigned char* begin, std::size_t bytes, std::size_t around) {
  const std::lock_guard lock(tables_guard);
  std::unique_ptr<Watched> w(new (std::nothrow) Watched(begin, bytes, ++allocations));
  if (!w || !w->made()) return false;
  const std::uintptr_t first = page_of(begin - around), last = page_of(begin + bytes + around - 1);
  if (!enter(first, last, w.get())) {
    leave(first, last);
    return false;
  }
  w.release();
  return true;
}

void unwatch(unsigned char* begin) noexcept {
  const std::lock_guard lock(tables_guard);
  Watched* w = watched_at(begin);
  if (!w) return;
  std::uintptr_t first = page_of(begin), last = page_of(begin + w->bytes);
  // The pages before and after that are its own too.
  while (watched_at(reinterpret_cast<void*>((first - 1) << page_bits)) == w) --first;
  while (watched_at(reinterpret_cast<void*>((last + 1) << page_bits)) == w) ++last;
  leave(first, last);
  delete w;
}

void host_wrote(const void* to, std::size_t bytes) {
  Watched* w = watched_at(to);
  if (!w || bytes == 0) return;
  const auto at = static_cast<std::size_t>(static_cast<const unsigned char*>(to) - w->begin);
  if (at >= w->bytes) return;
  std::memset(w->written() + at, 1, std::min(bytes, w->bytes - at));
}

void host_copied(const void* to, const void* from, std::size_t bytes) {
  Watched* a = watched_at(to);
  Watched* b = watched_at(from);
  if (!a || !b) return host_wrote(to, bytes);
  std::memmove(a->written() + (static_cast<const unsigned char*>(to) - a->begin),
               b->written() + (static_cast<const unsigned char*>(from) - b->begin), bytes);
}

void must_be_written(const void* at, std::size_t bytes, const char* by) {
  const Watched* w = watched_at(at);
  if (!w) return;
  const auto first = static_cast<std::size_t>(static_cast<const unsigned char*>(at) - w->begin);
  if (const void* none = std::memchr(w->written() + first, 0, bytes))
    throw DeviceFault(
        fmt::format("{} reads byte {} of device array {} of {} bytes, which nobody wrote", by,
                    static_cast<const unsigned char*>(none) - w->written(), w->number, w->bytes));
}

}  // namespace nz::emulated::emulator
