#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <nonzero/plan.hpp>

#include "simt/backend.hpp"

namespace nz::python {

// Products of a plan that are bound to streams: the shortest way to a GPU. Each has scratch memory
// of its own, and its end would wait for the device, so that there are a few for each plan, which
// stay; other streams go by multiply(). A stream that is captured does, too: its graph keeps the
// scratch that it needs there.
template <Value T>
class Bounds {
 public:
  // Pointers of the plan's device, vectors long enough and apart. False: nothing was done. Called
  // without the GIL: a launch may wait for room in the queue, and that for a callback in Python.
  bool enqueue(const Plan<T>& plan, Op op, std::uintptr_t stream, T alpha, const T* x, T beta,
               T* y) {
    const Device device = plan.device();
    CUstream_st* handle = reinterpret_cast<CUstream_st*>(stream);
    simt::StreamKey key{};
    if (handle) key = simt::backend(device).key_of(handle);
    if (key.capture != 0) return false;
    // What launches demands that the device is current: mostly it is.
    std::optional<simt::DeviceScope> scope;
    if (device.kind == Device::Kind::cuda && simt::current_cuda_device() != device.index)
      scope.emplace(device);
    const std::lock_guard lock(guard_);  // one thread at a time in each
    for (const Entry& e : entries_)
      if (e.op == op && e.key == key) {
        e.product->enqueue(alpha, x, beta, y);
        return true;
      }
    if (entries_.size() == most) return false;
    entries_.push_back(
        {op, key, plan.bind(op, handle ? StreamView{device, handle} : StreamView{})});
    entries_.back().product->enqueue(alpha, x, beta, y);
    return true;
  }

  // The plan has other values.
  void clear() {
    const std::lock_guard lock(guard_);
    entries_.clear();
  }

  std::size_t bytes() const {
    const std::lock_guard lock(guard_);
    std::size_t all = 0;
    for (const Entry& e : entries_) all += e.product->bytes();
    return all;
  }

 private:
  static constexpr std::size_t most = 8;
  struct Entry {
    Op op;
    simt::StreamKey key;
    std::unique_ptr<BoundProduct<T>> product;
  };
  mutable std::mutex guard_;
  std::vector<Entry> entries_;
};

}  // namespace nz::python
