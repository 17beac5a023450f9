#pragma once
#include <cstdint>

#include "simt/simt.hpp"

// Sorting and summing on the current device, queued on the default stream: CUB's on a GPU, the
// standard library's on the emulator.
namespace nz::NZ_HOME {

// n keys and as many things that go with them, and room for another n of each.
template <class Key, class Thing>
struct SortBuffers {
  Key* keys[2];
  Thing* things[2];
};

// Sorts by the low `bits` bits of the keys less the lowest `without`; the other bits do not count,
// and keys that are equal in these keep their order. Returns which of the two buffers holds them
// then: 0, where they come from, or 1. For keys of 64 bits with things of 4 or 8 bytes, and keys of
// 32 bits with things of 4.
template <class Key, class Thing>
int sort_pairs(std::int64_t n, const SortBuffers<Key, Thing>& buffers, int bits, int without = 0);

// sums[i] = from[0] + ... + from[i-1] for i < n. Both may be the same.
void sum_before(std::int64_t n, const std::int64_t* from, std::int64_t* sums);

}  // namespace nz::NZ_HOME
