#pragma once
#include <cstdint>

#include "simt/simt.hpp"

// Sorting and summing on the current device, queued on the default stream: CUB's on a GPU, the
// standard library's on the emulator.
namespace nz::NZ_HOME {

// n keys, a payload that goes with each, and room for another n of each.
template <class Key, class Payload>
struct SortBuffers {
  Key* keys[2];
  Payload* payloads[2];
};

// Sorts by the bits of the keys from `begin_bit` up to but not including `end_bit`, 0 being the
// lowest; keys that are equal in these keep their order. Returns which of the two buffers holds
// them then: 0, where they come from, or 1. For keys of 64 bits with payloads of 4 or 8 bytes, and
// keys of 32 bits with payloads of 4.
template <class Key, class Payload>
int sort_pairs(std::int64_t n, const SortBuffers<Key, Payload>& buffers, int end_bit,
               int begin_bit = 0);

// sums[i] = from[0] + ... + from[i-1] for i < n. Both may be the same.
void exclusive_sum(std::int64_t n, const std::int64_t* from, std::int64_t* sums);

}  // namespace nz::NZ_HOME
