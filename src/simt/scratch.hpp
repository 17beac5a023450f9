#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simt/backend.hpp"

// Memory that a product writes while it runs: parts of sums, and counters of parts that are there.
namespace nz::simt {

struct ScratchSize {
  std::size_t counters = 0;  // words of 32 bits that begin as 0; a product leaves them so
  std::size_t bytes = 0;     // of the rest, a multiple of 16

  bool empty() const { return counters == 0 && bytes == 0; }
  // What the counters take, the rest begins behind them.
  std::size_t counter_bytes() const { return (counters * sizeof(unsigned) + 255) / 256 * 256; }
  std::size_t all_bytes() const { return empty() ? 0 : counter_bytes() + bytes; }
  friend ScratchSize operator+(ScratchSize a, ScratchSize b) {
    return {a.counters + b.counters, a.bytes + b.bytes};
  }
};

// So many counters, and n values.
template <class T>
ScratchSize scratch_for(std::size_t counters, std::size_t n) {
  return {counters, (n * sizeof(T) + 15) / 16 * 16};
}

struct Scratch {
  unsigned* counters = nullptr;
  std::byte* rest = nullptr;

  template <class T>
  T* values() const {
    return reinterpret_cast<T*>(rest);
  }
  // For another part of the product, whose scratch lies behind that of the first.
  Scratch behind(const ScratchSize& first) const {
    return {counters + first.counters, rest + first.bytes};
  }
};

// The scratch of one that multiplies on one stream, or at least in one order. Made so that it
// disturbs no capture.
class OwnScratch {
 public:
  OwnScratch(Device device, const ScratchSize& size);
  ~OwnScratch();
  OwnScratch(const OwnScratch&) = delete;
  OwnScratch& operator=(const OwnScratch&) = delete;

  const Scratch& scratch() const { return scratch_; }
  std::size_t bytes() const { return size_.all_bytes(); }
  // Its counters are 0 again for what the stream does next.
  void clear(CUstream_st* stream);

 private:
  Device device_;
  ScratchSize size_;
  void* memory_ = nullptr;
  Scratch scratch_;
};

// The scratch of one product on its device, a piece for each stream that multiplies, so that
// streams do not disturb each other. The first piece is made at once, for whichever stream comes
// first, unless it is asked for `later`; another stream's, and that of every capture, when they
// first ask. The piece of a graph is given to others when the graph is gone, and those of streams,
// of which nobody tells when they end, once there are many, after a wait for the device.
class StreamScratch {
  struct Piece;

 public:
  // What a multiply holds while it queues its launches: those of another one on the same stream
  // must not come in between.
  class Lease {
   public:
    Lease(StreamScratch& from, CUstream_st* stream);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    const Scratch& scratch() const { return scratch_; }

   private:
    std::unique_lock<std::mutex> lock_;
    Piece& piece_;
    Scratch scratch_;
    int failing_;  // exceptions under way
  };

  enum class First : char { now, later };
  StreamScratch(Device device, const ScratchSize& size, First first = First::now);
  ~StreamScratch();
  StreamScratch(const StreamScratch&) = delete;
  StreamScratch& operator=(const StreamScratch&) = delete;

  bool empty() const { return size_.empty(); }
  std::size_t bytes() const;

 private:
  static constexpr std::size_t most_streams = 16;

  Piece& piece_for(CUstream_st* stream);
  Piece* unused(bool for_capture);
  Piece& make();
  Piece& add(void* memory);

  Device device_;
  ScratchSize size_;
  mutable std::mutex guard_;
  std::vector<std::unique_ptr<Piece>> pieces_;
};

// The scratch of products of several vectors, which is larger the more there are, and which nobody
// needs who multiplies one: made when it is first asked for, for 4, 16, 64, ... columns.
class SeveralScratch {
 public:
  explicit SeveralScratch(Device device) : device_(device) {}

  // size_for(n): what n columns need.
  template <class SizeFor>
  StreamScratch& for_columns(int columns, SizeFor&& size_for) {
    const std::lock_guard lock(guard_);
    std::int64_t most = 4;
    std::size_t which = 0;
    for (; most < columns; most *= 4) ++which;
    if (all_.size() <= which) all_.resize(which + 1);
    if (!all_[which])
      all_[which] = std::make_unique<StreamScratch>(
          device_, size_for(static_cast<int>(std::min(most, std::int64_t{0x7fffffff}))),
          StreamScratch::First::later);
    return *all_[which];
  }
  std::size_t bytes() const;

 private:
  Device device_;
  mutable std::mutex guard_;
  std::vector<std::unique_ptr<StreamScratch>> all_;
};

}  // namespace nz::simt
