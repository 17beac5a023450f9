#pragma once
#include <cstdint>
#include <vector>

// izawa2023 §3.3.4: how often threads of a warp, each with a block, miss the L1 cache while they
// read what is stored of their blocks.
namespace nz::lab::izawa2023 {

// Line n of memory can be in line n % lines of the cache alone: with this, and with accesses in the
// order of the threads, figure 3.7 has the misses that its text counts.
struct CacheModel {
  std::int64_t lines = 2, elements = 4;  // a line
};

// Misses in each loop of the kernel, in which every thread whose block has an entry left reads it.
// `lengths` are the blocks' entries, one block a thread: stored block by block, and with the
// entries of the group side by side, padding between them.
std::vector<std::int64_t> misses_by_blocks(const std::vector<std::int64_t>& lengths,
                                           const CacheModel& cache);
std::vector<std::int64_t> misses_reordered(const std::vector<std::int64_t>& lengths,
                                           const CacheModel& cache);

}  // namespace nz::lab::izawa2023
