#pragma once
#include <cstddef>

namespace nz {

// Asks the system to back this memory by huge pages where it can: a large array that is about to be
// filled then costs hundreds of page faults instead of hundreds of thousands. Call before the first
// write. Never fails; does nothing for small arrays.
void prefer_huge_pages(void* data, std::size_t bytes);

}  // namespace nz
