#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>

#include "simt/backend.hpp"

namespace nz::simt {

// How much shared memory a kernel may have on each device. It only grows: another thread may be
// about to launch the same kernel with more. Once it is enough, asking takes no lock, and in a
// LaunchScope or a DeviceScope no call of the runtime.
class AllowedShared {
 public:
  // allow() on the current device where that has not allowed so much yet.
  template <class Allow>
  void ensure(std::size_t bytes, Allow&& allow) {
    const int known = launch_device();
    const int device = known >= 0 ? known : current_cuda_device();
    const auto at = static_cast<std::size_t>(device);
    if (at < quick_.size() && quick_[at].load(std::memory_order_acquire) >= bytes) return;
    const std::lock_guard lock(guard_);
    std::size_t& most = allowed_[device];
    if (bytes <= most) return;
    allow();
    most = bytes;
    if (at < quick_.size()) quick_[at].store(bytes, std::memory_order_release);
  }

 private:
  std::mutex guard_;
  std::map<int, std::size_t> allowed_;
  std::array<std::atomic<std::size_t>, 32> quick_{};  // the same, for the first devices
};

}  // namespace nz::simt
