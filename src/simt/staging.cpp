#include "simt/staging.hpp"

#include <cstring>
#include <utility>

namespace nz::simt {

Staging::~Staging() {
  if (!memory_ && !pinned_) return;
  Backend& b = backend(device_);
  b.release(memory_);
  b.release_pinned(pinned_);
}

void Staging::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  Backend& b = backend(device_);
  // What came before is kept until both are there: nothing is lost when one of them fails.
  void* memory = b.allocate(bytes);
  void* pinned = nullptr;
  try {
    pinned = b.allocate_pinned(bytes);
  } catch (...) {
    b.release(memory);
    throw;
  }
  b.release(std::exchange(memory_, memory));
  b.release_pinned(std::exchange(pinned_, pinned));
  size_ = bytes;
}

void* Staging::stage(const void* host, std::size_t bytes, bool read, CUstream_st* stream) {
  reserve(bytes);
  if (read && bytes > 0) {
    std::memcpy(pinned_, host, bytes);
    backend(device_).copy_queued(memory_, pinned_, bytes, stream);
  }
  return memory_;
}

void Staging::unstage(void* host, std::size_t bytes, CUstream_st* stream) {
  if (bytes == 0) return;
  Backend& b = backend(device_);
  b.copy_queued(pinned_, memory_, bytes, stream);
  b.wait(stream);
  std::memcpy(host, pinned_, bytes);
}

}  // namespace nz::simt
