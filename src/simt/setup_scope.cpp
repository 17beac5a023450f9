#include "simt/setup_scope.hpp"

#include <exception>

namespace nz::simt {
namespace {

thread_local Device prepares_on = cpu_device;

}  // namespace

SetupScope::SetupScope(Device device) noexcept
    : device_(device), before_(prepares_on), counts_(device != cpu_device && device != before_) {
  if (counts_) prepares_on = device;
}

SetupScope::~SetupScope() {
  if (!counts_) return;
  try {
    end();
  } catch (const std::exception&) {  // the first failure is the one to tell
  }
}

void SetupScope::finish() {
  if (counts_) end();
}

// The emulator keeps nothing, and looks for what was overwritten when it waits.
void SetupScope::end() {
  counts_ = false;
  prepares_on = before_;
  Backend& b = backend(device_);
  if (device_ == emulator_device || !b.try_wait_for_all()) b.wait(nullptr);
}

bool keeps_releases(Device device) noexcept { return prepares_on == device; }

}  // namespace nz::simt
