#pragma once
#include <cstddef>

namespace nz {

// The last level of cache of the first processor, in bytes, as Linux tells it; 0 when it does not.
// Asked once a process.
std::size_t last_level_cache_bytes();

}  // namespace nz
