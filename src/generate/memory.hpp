#pragma once
#include <string_view>

namespace nz {

// Throws NoResource when `count` elements of `bytes` each pass the machine's memory: a slip in a
// specification should be an error at once, not hours of work or a process killed half-way.
void require_memory(std::string_view what, double count, double bytes);

}  // namespace nz
