#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

// What is remembered of device memory that is watched.
namespace nz::emulated::emulator {

// An access: who made it, and when its block's clock said what.
struct Stamp {
  std::uint64_t bits = 0;  // none

  static constexpr std::uint32_t last_block = (1u << 24) - 1, last_time = (1u << 29) - 1;

  Stamp() = default;
  Stamp(std::uint32_t block, std::uint32_t thread, std::uint32_t time, bool coherent)
      : bits(std::uint64_t{block} << 40 | std::uint64_t{thread} << 30 | std::uint64_t{time} << 1 |
             (coherent ? 1u : 0u)) {}
  explicit operator bool() const { return bits != 0; }
  std::uint32_t block() const { return static_cast<std::uint32_t>(bits >> 40); }
  std::uint32_t thread() const { return bits >> 30 & 1023u; }
  std::uint32_t time() const { return bits >> 1 & last_time; }
  bool coherent() const { return bits & 1; }
  bool by_same(Stamp other) const { return bits >> 30 == other.bits >> 30; }
};

// The last accesses to 4 bytes, or to one of them: reads by two threads, so that one that reads and
// then writes does not hide another.
struct Traces {
  enum Kind { written, added, read, read_before };
  std::array<Stamp, 4> stamp;
  std::array<std::uint32_t, 4> code{};  // where in the program: the low half of the address
  std::uint32_t launch = 0;             // accesses of earlier launches are over
  bool split = false;                   // single bytes of it have traces of their own
};

// An array and its traces. Pages that nobody touches cost nothing.
class Watched {
 public:
  unsigned char* const begin;
  const std::size_t bytes;
  const unsigned number;  // of the allocation

  Watched(unsigned char* at, std::size_t size, unsigned which)
      : begin(at),
        bytes(size),
        number(which),
        written_(size),
        words_((size + 3) / 4 * sizeof(Traces)) {}

  bool made() const { return written_.made() && words_.made(); }
  // For each byte, whether it was ever written.
  unsigned char* written() const { return static_cast<unsigned char*>(written_.data()); }
  Traces& word(std::size_t i) const { return static_cast<Traces*>(words_.data())[i]; }
  // Made when they are first needed; null when there is no memory for them.
  Traces* bytes_at(std::size_t i);

 private:
  // Zeros.
  class Memory {
   public:
    explicit Memory(std::size_t bytes);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    void* data() const { return data_; }
    bool made() const { return data_ != nullptr; }

   private:
    void* data_ = nullptr;
    std::size_t mapped_ = 0;
  };
  Memory written_, words_;
  std::unique_ptr<Memory> bytes_memory_;
  std::atomic<Traces*> byte_traces_{nullptr};
  std::mutex guard_;
};

// The array that the page of an address belongs to; null for pages of nobody.
Watched* watched_at(const void* address);

}  // namespace nz::emulated::emulator
