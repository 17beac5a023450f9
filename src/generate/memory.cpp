#include "generate/memory.hpp"

#include <unistd.h>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {

void require_memory(std::string_view what, double count, double bytes) {
  const double have =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (have > 0 && count * bytes > have)
    throw NoResource(fmt::format("{:.4g} {} need {:.1f} GiB, the machine has {:.1f}", count, what,
                                 count * bytes * 0x1p-30, have * 0x1p-30));
}

}  // namespace nz
