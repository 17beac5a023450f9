#pragma once
#include <functional>
#include <map>
#include <optional>
#include <span>

#include <nonzero/device.hpp>
#include <nonzero/kernel.hpp>

#include "device/csr.hpp"
#include "lab/bench/gpu_timing.hpp"

namespace nz::lab {

// The matrix and the vectors of a stage in the memory of a GPU or of the emulator, put there once.
template <Value T, Offset O>
class DeviceStage {
 public:
  // Throws NoResource where the device's memory is short.
  DeviceStage(Device device, const CsrView<T, O>& a) : device_(device), a_(device, a) {}

  Device device() const { return device_; }
  const CsrView<T, O>& matrix() const { return a_.view(); }

  // y = op(A) x with vectors in the device's memory, where y starts as it was here at the first
  // product of that op, and comes back when the product is made. x is always the same.
  void multiply(const Product<T>& product, Op op, std::span<const T> x, std::span<T> y);

  // y = alpha op(A) x + beta y after the last multiply() of that op, over and over. CUDA only.
  LaunchTiming measure(const Product<T>& product, Op op, const Budget& budget, T alpha = 1,
                       T beta = 0);
  // The same of whatever `queue` puts on the stream.
  LaunchTiming measure(const std::function<void(StreamView)>& queue, const Budget& budget);
  // One to warm up and one more, which is timed with the launch and the wait for it.
  Timing once(const Product<T>& product, Op op);

 private:
  struct Vectors {
    DeviceArray<T> x, y;
    DeviceArray<T> before;  // y as it came, to start every product from
  };
  void queue(const Product<T>& product, Op op, StreamView stream, T alpha = 1, T beta = 0);

  Device device_;
  DeviceCsr<T, O> a_;
  std::map<Op, Vectors> vectors_;
  std::optional<GpuTimer> timer_;
};

}  // namespace nz::lab
