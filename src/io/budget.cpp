#include "io/budget.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {

std::uint64_t Budget::unpacked_bytes() const {
  return std::max(base + factor * file_bytes_, limit_);
}

void Budget::require(std::uint64_t bytes, const std::string& where, const std::string& what) const {
  const std::uint64_t needed = bytes + held_;
  if (needed <= this->bytes()) return;
  if (limited())
    throw NoResource(fmt::format("{}: {} takes {} bytes of memory, but the memory limit is {}",
                                 where, what, needed, limit_));
  throw BadInput(
      fmt::format("{}: {} takes {} bytes of memory, but a file of {} bytes is granted {} ({} MiB + "
                  "{} times its size); a memory limit that is set to more allows it",
                  where, what, needed, file_bytes_, this->bytes(), base >> 20, factor));
}

}  // namespace nz
