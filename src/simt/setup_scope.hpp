#pragma once
#include "simt/backend.hpp"

namespace nz::simt {

// Preparing something takes a dozen small arrays for a while, and what is released waits for the
// whole device. In this scope a CUDA device keeps what this thread releases, and gives it back at
// the end, with one wait for all of it. Of scopes for one device, the outermost of a thread counts.
// Where memory is short it goes earlier.
class SetupScope {
 public:
  explicit SetupScope(Device device) noexcept;  // of the CPU: nothing happens
  ~SetupScope();                                // without finish(): something has failed already
  SetupScope(const SetupScope&) = delete;
  SetupScope& operator=(const SetupScope&) = delete;

  // At the end: waits, since products may run on other streams. Throws DeviceFault where what was
  // queued has failed.
  void finish();

 private:
  void end();

  Device device_, before_;
  bool counts_;
};

// Whether this thread prepares something on that device.
bool keeps_releases(Device device) noexcept;

// Addresses that were found to lie in the memory of the device that this thread prepares something
// on: a plan asks for the same few again and again. Backends forget all of them before any memory
// of theirs goes, and the scope does when it ends; without a scope nothing is remembered.
bool known_to_lie_on(Device device, const void* address) noexcept;
void lies_there(Device device, const void* address) noexcept;
void forget_addresses() noexcept;

}  // namespace nz::simt
