#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <nonzero/device.hpp>

#include "simt/capture_gate.hpp"

// What a device does for the host: memory, copies, streams. One object a device; the CUDA runtime
// and the emulator each have theirs.
namespace nz::simt {

// A queue of work: a stream, or what it records in a capture. Streams that have ended never have
// the key of a new one.
struct StreamKey {
  std::uint64_t stream = 0;
  std::uint64_t capture = 0;  // 0: none is under way
  friend bool operator==(const StreamKey&, const StreamKey&) = default;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Counted, and able to fail on purpose (below). Throws NoResource with what was needed and free.
  void* allocate(std::size_t bytes);
  void release(void* memory) noexcept;

  // For use in a stream's order only, from the work that is queued next to what was queued before
  // the release. May become part of a capture.
  void* allocate_queued(std::size_t bytes, CUstream_st* stream);
  void release_queued(void* memory, CUstream_st* stream) noexcept;

  // The first `zeros` bytes are 0. Every stream may use it when this returns, and it disturbs no
  // capture, whoever has one under way.
  void* allocate_aside(std::size_t bytes, std::size_t zeros);

  // Host memory that copies go through at full speed.
  void* allocate_pinned(std::size_t bytes);
  void release_pinned(void* memory) noexcept;

  // Any direction. Waits when host memory takes part; between device memory it only queues.
  virtual void copy(void* to, const void* from, std::size_t bytes, CUstream_st* stream) = 0;
  // Queues only; host memory must be pinned and stay until the stream gets there.
  virtual void copy_queued(void* to, const void* from, std::size_t bytes, CUstream_st* stream) = 0;
  // Zeros. Queues only.
  virtual void clear(void* memory, std::size_t bytes, CUstream_st* stream) = 0;
  virtual void wait(CUstream_st* stream) = 0;
  // For the work of all streams. False when that cannot be done now, because somebody captures.
  virtual bool try_wait_for_all() = 0;
  // The captures of this library on the device.
  CaptureGate& captures() { return captures_; }
  virtual CUstream_st* make_stream() = 0;
  virtual void end_stream(CUstream_st* stream) noexcept = 0;
  // Throws InvalidArgument when the stream belongs to another device.
  virtual void check_stream(CUstream_st* stream) = 0;
  virtual StreamKey key_of(CUstream_st* stream) = 0;
  // `over` becomes true once the graph that the stream is recorded in has run for the last time, if
  // that can be known: then it and all that were made of it are gone.
  virtual void tell_when_over(CUstream_st* stream, std::shared_ptr<std::atomic<bool>> over) = 0;

  // Whether the address lies in this device's memory.
  virtual bool owns(const void* address) = 0;

  virtual const DeviceInfo& info() = 0;  // free_bytes: when first asked
  virtual std::size_t free_bytes() = 0;
  // Gives back what was released and is kept for later; how many bytes that was.
  virtual std::size_t trim() = 0;

 protected:
  virtual void* try_allocate(std::size_t bytes) = 0;  // null when there is not enough
  virtual void do_release(void* memory) noexcept = 0;
  virtual void* try_allocate_queued(std::size_t bytes, CUstream_st* stream) = 0;
  virtual void do_release_queued(void* memory, CUstream_st* stream) noexcept = 0;
  virtual void* try_allocate_aside(std::size_t bytes, std::size_t zeros) = 0;
  virtual void* try_allocate_pinned(std::size_t bytes) = 0;
  virtual void do_release_pinned(void* memory) noexcept = 0;

 private:
  std::string too_little(std::size_t bytes);

  CaptureGate captures_;
};

// Throws NoResource, with the reason, where the device is not there; InvalidArgument for the CPU.
Backend& backend(Device device);

// The stream's handle, once it is known to belong to the device. Throws InvalidArgument otherwise.
CUstream_st* stream_for(Device device, StreamView stream);

// Tells what is launched in this scope on this thread where it runs, where that device is known to
// be current: nothing is asked and nothing is set.
class LaunchScope {
 public:
  explicit LaunchScope(Device device) noexcept;
  ~LaunchScope();
  LaunchScope(const LaunchScope&) = delete;
  LaunchScope& operator=(const LaunchScope&) = delete;

 private:
  int before_;
};

// Makes the device current for what is prepared or launched in this scope on this thread.
class DeviceScope {
 public:
  explicit DeviceScope(Device device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = -1;
  LaunchScope launches_;
};

// The CUDA device of the innermost scope of either kind on this thread; -1: there is none.
int launch_device() noexcept;

// For tests: how often this thread has asked for a backend, or a backend or the CUDA runtime for
// anything but a launch. Each of these may lock, and most ask the driver.
std::size_t requests() noexcept;
void count_request() noexcept;

// For tests: allocations alive on all devices, pinned ones included; and one that fails.
std::size_t live_allocations();
// The allocation after the next `count` ones fails as if memory were short; below 0: none does.
void fail_allocation_after(int count);

// The two kinds, as they are built in; null or 0 otherwise. backend() is the door for others.
std::string why_no_cuda_device();
int cuda_devices();
std::unique_ptr<Backend> make_cuda_backend(int index);
int current_cuda_device();
void set_cuda_device(int index);
std::unique_ptr<Backend> make_emulator_backend();

}  // namespace nz::simt
