#include "soak/memory.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>

#include <malloc.h>
#include <unistd.h>

#include "simt/backend.hpp"
#include "simt/sanitizers.hpp"

#ifdef NZ_ASAN
// Debian's GCC has the function, but not <sanitizer/allocator_interface.h>.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace nz::trials {

MemorySample memory_now(double seconds) {
  MemorySample s{.seconds = seconds};
  std::size_t whole = 0, resident = 0;
  if (std::ifstream("/proc/self/statm") >> whole >> resident)
    s.resident = resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#ifdef NZ_ASAN
  s.heap = __sanitizer_get_current_allocated_bytes();
#else
  const auto info = mallinfo2();
  s.heap = info.uordblks + info.hblkhd;
#endif
  s.on_devices = simt::live_allocations();
  return s;
}

Flatness flatness(const std::vector<MemorySample>& all, std::size_t MemorySample::*what,
                  Slack slack) {
  Flatness f;
  const std::size_t quarter = all.size() / 4;
  if (quarter < 3) return f;  // too short to say
  const auto median = [&](std::size_t begin, std::size_t end) {
    std::vector<std::size_t> part;
    for (std::size_t i = begin; i < end; ++i) part.push_back(all[i].*what);
    std::nth_element(part.begin(), part.begin() + part.size() / 2, part.end());
    return part[part.size() / 2];
  };
  f.before = median(quarter, 2 * quarter);
  f.after = median(all.size() - quarter, all.size());
  f.flat = static_cast<double>(f.after) <=
           static_cast<double>(f.before) * (1 + slack.share) + static_cast<double>(slack.bytes);
  return f;
}

}  // namespace nz::trials
