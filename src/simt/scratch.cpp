#include "simt/scratch.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

#include <nonzero/error.hpp>

namespace nz::simt {
namespace {

Scratch scratch_in(std::byte* memory, const ScratchSize& size) {
  return {reinterpret_cast<unsigned*>(memory), memory + size.counter_bytes()};
}

}  // namespace

OwnScratch::OwnScratch(Device device, const ScratchSize& size) : device_(device), size_(size) {
  if (size.empty()) return;
  memory_ = backend(device).allocate_aside(size.all_bytes(), size.counter_bytes());
  scratch_ = scratch_in(static_cast<std::byte*>(memory_), size);
}

OwnScratch::~OwnScratch() {
  if (memory_) backend(device_).release(memory_);
}

void OwnScratch::clear(CUstream_st* stream) {
  if (memory_) backend(device_).clear(memory_, size_.counter_bytes(), stream);
}

struct StreamScratch::Piece {
  const Device device;
  std::byte* const memory;
  StreamKey key{};
  bool taken = false;
  bool clean = false;                         // its counters are 0
  std::shared_ptr<std::atomic<bool>> over{};  // of a graph: it will not run again

  Piece(Device d, void* m) : device(d), memory(static_cast<std::byte*>(m)) {}
  ~Piece() { backend(device).release(memory); }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  void release() {
    taken = false;
    key = {};
    over = nullptr;
  }
};

StreamScratch::StreamScratch(Device device, const ScratchSize& size, First first)
    : device_(device), size_(size) {
  if (empty() || first == First::later) return;
  add(backend(device).allocate(size_.all_bytes()));
}

StreamScratch::~StreamScratch() = default;

std::size_t StreamScratch::bytes() const {
  const std::lock_guard lock(guard_);
  return pieces_.size() * size_.all_bytes();
}

std::size_t SeveralScratch::bytes() const {
  const std::lock_guard lock(guard_);
  std::size_t sum = 0;
  for (const auto& s : all_)
    if (s) sum += s->bytes();
  return sum;
}

StreamScratch::Piece& StreamScratch::piece_for(CUstream_st* stream) {
  Backend& b = backend(device_);
  const StreamKey key = b.key_of(stream);
  Piece* piece = nullptr;
  for (const auto& p : pieces_) {
    if (p->taken && p->key == key) piece = p.get();
    if (p->over && p->over->load()) p->release();
  }
  const bool known = piece;
  if (!piece) piece = unused(key.capture != 0);
  if (!piece) piece = &make();
  if (!piece->clean) b.clear(piece->memory, size_.counter_bytes(), stream);
  piece->clean = piece->taken = true;
  piece->key = key;
  if (key.capture != 0 && !known) {
    piece->over = std::make_shared<std::atomic<bool>>(false);
    b.tell_when_over(stream, piece->over);
  }
  return *piece;
}

// One that nobody has, for a capture a clean one: clearing it would become part of the graph. Where
// there are many streams, some may have ended: once all work is done none of them needs its piece.
StreamScratch::Piece* StreamScratch::unused(bool for_capture) {
  const auto find = [&]() -> Piece* {
    for (const auto& p : pieces_)
      if (!p->taken && (p->clean || !for_capture)) return p.get();
    return nullptr;
  };
  if (Piece* p = find()) return p;
  if (for_capture) return nullptr;
  const auto of_stream = [](const auto& p) { return p->key.capture == 0; };
  if (static_cast<std::size_t>(std::count_if(pieces_.begin(), pieces_.end(), of_stream)) <
      most_streams)
    return nullptr;
  if (!backend(device_).try_wait_for_all()) return nullptr;  // there is room for another one
  for (const auto& p : pieces_)
    if (of_stream(p)) p->release();
  return find();
}

StreamScratch::Piece& StreamScratch::make() {
  Piece& piece = add(backend(device_).allocate_aside(size_.all_bytes(), size_.counter_bytes()));
  piece.clean = true;
  return piece;
}

// Takes the memory over, whatever happens.
StreamScratch::Piece& StreamScratch::add(void* memory) {
  struct Held {
    Device device;
    void* memory;
    ~Held() { backend(device).release(memory); }
  } held{device_, memory};
  pieces_.reserve(pieces_.size() + 1);
  pieces_.push_back(std::make_unique<Piece>(device_, memory));
  held.memory = nullptr;
  return *pieces_.back();
}

StreamScratch::Lease::Lease(StreamScratch& from, CUstream_st* stream)
    : lock_(from.guard_), piece_(from.piece_for(stream)), failing_(std::uncaught_exceptions()) {
  scratch_ = scratch_in(piece_.memory, from.size_);
}

// A product that failed may have left its counters anywhere.
StreamScratch::Lease::~Lease() {
  if (std::uncaught_exceptions() > failing_) piece_.clean = false;
}

}  // namespace nz::simt
