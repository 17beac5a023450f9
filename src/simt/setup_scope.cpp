#include "simt/setup_scope.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace nz::simt {
namespace {

thread_local Device prepares_on = cpu_device;

// Memory of a device may go by another thread's hands: what was known before that counts no more.
std::atomic<std::uint64_t> forgotten{0};
struct Known {
  std::uint64_t since = 0;
  std::size_t count = 0;
  std::array<const void*, 8> addresses;
};
thread_local Known known;

}  // namespace

SetupScope::SetupScope(Device device) noexcept
    : device_(device), before_(prepares_on), counts_(device != cpu_device && device != before_) {
  if (!counts_) return;
  prepares_on = device;
  known.count = 0;
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
  known.count = 0;
  Backend& b = backend(device_);
  if (device_ == emulator_device || !b.try_wait_for_all()) b.wait(nullptr);
}

bool keeps_releases(Device device) noexcept { return prepares_on == device; }

bool known_to_lie_on(Device device, const void* address) noexcept {
  if (!keeps_releases(device) || known.since != forgotten.load()) return false;
  const auto end = known.addresses.begin() + static_cast<std::ptrdiff_t>(known.count);
  return std::find(known.addresses.begin(), end, address) != end;
}

void lies_there(Device device, const void* address) noexcept {
  if (!keeps_releases(device)) return;
  const std::uint64_t now = forgotten.load();
  if (known.since != now) known.count = 0;
  known.since = now;
  if (known.count < known.addresses.size()) known.addresses[known.count++] = address;
}

void forget_addresses() noexcept { ++forgotten; }

}  // namespace nz::simt
