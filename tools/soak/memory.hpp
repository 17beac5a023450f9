#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace nz::trials {

// What the process held at one moment.
struct MemorySample {
  double seconds = 0;
  std::size_t resident = 0;    // bytes of the process in memory
  std::size_t heap = 0;        // bytes of it that were allocated and not freed
  std::size_t on_devices = 0;  // allocations alive on all devices
};
MemorySample memory_now(double seconds);

// Whether memory stayed as it was: the median of the last quarter is at most that of the second one
// (when caches and pools have filled) and a slack. Cases under way differ in size, so that single
// samples say little; and what an allocator keeps of freed memory differs more than what is in use.
struct Flatness {
  std::size_t before = 0, after = 0;  // medians
  bool flat = true;
};
struct Slack {
  double share;
  std::size_t bytes;
};
inline constexpr Slack resident_slack{0.25, std::size_t{64} << 20};
inline constexpr Slack heap_slack{0.05, std::size_t{24} << 20};
Flatness flatness(const std::vector<MemorySample>& all, std::size_t MemorySample::*what,
                  Slack slack);

}  // namespace nz::trials
