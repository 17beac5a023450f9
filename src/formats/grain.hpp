#pragma once
#include <cstdint>

namespace nz {

// Pieces of a matrix below which a conversion stays on one thread (parallel_ranges()): `flat` of
// them, unless so many entries are in them that two pieces are worth two threads.
template <class I>
constexpr I grain_of(std::int64_t entries, I flat) {
  constexpr std::int64_t worth_threads = 1 << 16;
  return entries < worth_threads ? flat : I{2};
}

}  // namespace nz
