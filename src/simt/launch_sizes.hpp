#pragma once
#include <algorithm>
#include <cstdint>

#include "simt/simt.hpp"

// How many blocks and threads a launch takes.
namespace nz::NZ_HOME {

// As many blocks as n items need, `each` of them per block; at most `most`, by default the largest
// grid.
inline int blocks_for(std::int64_t n, std::int64_t each, std::int64_t most = 0x7fffffff) {
  return static_cast<int>(std::min((n + each - 1) / each, most));
}

// Whole warps for n items, at most `most` threads: a small matrix takes a small block.
inline int threads_for(std::int64_t n, int most) {
  return static_cast<int>(std::clamp<std::int64_t>((n + 31) / 32 * 32, 32, most));
}

// One thread for each of n items: whole warps, at most 256 threads per block; a small matrix takes
// a small block.
inline Launch one_thread_each(std::int64_t n, std::int64_t most_blocks = 0x7fffffff) {
  const int threads = static_cast<int>(std::min<std::int64_t>((n + 31) / 32 * 32, 256));
  if (threads == 0) return {.blocks = 0};
  return {.blocks = blocks_for(n, threads, most_blocks), .threads = threads};
}

}  // namespace nz::NZ_HOME
