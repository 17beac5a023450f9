#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include <nonzero/error.hpp>

namespace nz {

// For gpu/bsr/balanced, which numbers blocks in 31 bits.
inline void require_31_bits(std::int64_t blocks) {
  if (blocks <= std::numeric_limits<std::int32_t>::max()) return;
  throw Refused("gpu/bsr/balanced: " + std::to_string(blocks) +
                " blocks, more than 31 bits count; larger blocks, or gpu/csr/balanced, would do");
}

}  // namespace nz
