#pragma once
#include <cstddef>

#include "simt/backend.hpp"

namespace nz::simt {

// Device memory for the work that a call queues on a stream, and no longer.
class QueuedMemory {
 public:
  QueuedMemory() = default;
  QueuedMemory(Device device, std::size_t bytes, CUstream_st* stream)
      : backend_(&backend(device)),
        stream_(stream),
        memory_(bytes > 0 ? backend_->allocate_queued(bytes, stream) : nullptr) {}
  ~QueuedMemory() {
    if (memory_) backend_->release_queued(memory_, stream_);
  }
  QueuedMemory(const QueuedMemory&) = delete;
  QueuedMemory& operator=(const QueuedMemory&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  Backend* backend_ = nullptr;
  CUstream_st* stream_ = nullptr;
  void* memory_ = nullptr;
};

}  // namespace nz::simt
