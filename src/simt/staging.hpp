#pragma once
#include <atomic>
#include <cstddef>

#include "simt/backend.hpp"

namespace nz::simt {

// The slow way for a vector in host memory: through pinned memory into the device's, and back.
// Its memory is made when first needed and kept. One vector at a time.
class Staging {
 public:
  explicit Staging(Device device) : device_(device) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  // The device's copy of host memory; with `read` its contents are queued to be there.
  void* stage(const void* host, std::size_t bytes, bool read, CUstream_st* stream);
  // What it holds on the device and pinned.
  std::size_t bytes() const { return 2 * size_; }
  // The device's copy back to host memory; waits.
  void unstage(void* host, std::size_t bytes, CUstream_st* stream);

 private:
  void reserve(std::size_t bytes);
  Device device_;
  void* pinned_ = nullptr;
  void* memory_ = nullptr;
  std::atomic<std::size_t> size_ = 0;  // asked for while others multiply
};

}  // namespace nz::simt
