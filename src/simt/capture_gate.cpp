#include "simt/capture_gate.hpp"

namespace nz::simt {

void CaptureGate::begin_capture() {
  std::unique_lock lock(guard_);
  ++captures_;  // no wait begins from now on
  no_wait_.wait(lock, [&] { return waits_ == 0; });
}

void CaptureGate::end_capture() noexcept {
  const std::lock_guard lock(guard_);
  --captures_;
}

bool CaptureGate::begin_wait() {
  const std::lock_guard lock(guard_);
  if (captures_ > 0) return false;
  ++waits_;
  return true;
}

void CaptureGate::end_wait() noexcept {
  const std::lock_guard lock(guard_);
  if (--waits_ == 0) no_wait_.notify_all();
}

}  // namespace nz::simt
