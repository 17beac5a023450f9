#pragma once
#include <cmath>
#include <cstdint>
#include <memory>

#include <nonzero/array.hpp>
#include <nonzero/device.hpp>
#include <nonzero/error.hpp>

#include "base/parallel.hpp"
#include "device/picked.hpp"
#include "simt/backend.hpp"
#include "simt/queued_memory.hpp"

// What products of wide matrices do to vectors, in host memory or in a device's.
namespace nz::wide {

// What a device does to vectors in its memory.
template <Value T>
struct Steps {
  void (*pick)(CUstream_st*, std::int64_t, const std::int64_t*, const T*, T*);
  void (*add)(CUstream_st*, std::int64_t, const std::int64_t*, const T*, T*);
  void (*combine)(CUstream_st*, std::int64_t, T, const T*, T, T*);
};

template <Value T>
Steps<T> steps_on(Device device) {
#ifdef NZ_HAVE_EMULATOR
  if (device.kind == Device::Kind::emulator)
    return {emulated::pick_places<T>, emulated::add_to_places<T>, emulated::combine_vectors<T>};
#endif
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda)
    return {cuda::pick_places<T>, cuda::add_to_places<T>, cuda::combine_vectors<T>};
#endif
  throw NoResource("no products of wide matrices on " + device.name());
}

// use(steps) where the device is the current one.
template <Value T, class Use>
void on_device(Device device, Use&& use) {
  const simt::DeviceScope scope(device);
  use(steps_on<T>(device));
}

// Where vectors lie and what is queued for them.
struct Queue {
  Device device;
  CUstream_st* stream;

  bool far(const void* p) const { return device != cpu_device && simt::backend(device).owns(p); }
};

// Memory for a call: host memory, or the device's in the stream's order.
template <Value T>
class Room {
 public:
  Room() = default;
  Room(const Queue& q, bool far, std::size_t n) {
    if (far)
      far_ = std::make_unique<simt::QueuedMemory>(q.device, n * sizeof(T), q.stream);
    else
      near_ = Array<T>(n);
    data_ = far ? far_->template as<T>() : near_.data();
  }
  T* data() const { return data_; }

 private:
  Array<T> near_;
  std::unique_ptr<simt::QueuedMemory> far_;
  T* data_ = nullptr;
};

template <Value T>
void combine(const Queue& q, std::int64_t n, T alpha, const T* s, T beta, T* y) {
  if (n == 0 || (!s && !std::isnan(alpha) && beta == T(1))) return;
  if (q.far(y))
    return on_device<T>(
        q.device, [&](const Steps<T>& steps) { steps.combine(q.stream, n, alpha, s, beta, y); });
  parallel_ranges(n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T before = beta == T(0) ? T(0) : beta * y[i];
      if (s)
        y[i] = beta == T(0) ? alpha * s[i] : alpha * s[i] + before;
      else
        y[i] = std::isnan(alpha) ? alpha : before;
    }
  });
}

}  // namespace nz::wide
