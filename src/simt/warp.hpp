#pragma once
#include "simt/simt.hpp"

// What warps do together, built on shuffles: one source for both homes. All 32 lanes take part.
namespace nz::NZ_HOME {

// The sum over groups of `width` lanes (a power of 2), in the first lane of each.
template <class V>
NZ_DEVICE V reduce_to_first_lane(Thread& t, V v, int width = 32) {
  for (int by = width / 2; by > 0; by /= 2) v += t.shuffle_down(v, by, width);
  return v;
}

// The same in every lane of the group.
template <class V>
NZ_DEVICE V sum_all(Thread& t, V v, int width = 32) {
  for (int mask = width / 2; mask > 0; mask /= 2) v += t.shuffle_xor(v, mask, width);
  return v;
}

// The least and the greatest, in every lane.
template <class V>
NZ_DEVICE V min_all(Thread& t, V v) {
  for (int mask = 16; mask > 0; mask /= 2) {
    const V other = t.shuffle_xor(v, mask);
    v = other < v ? other : v;
  }
  return v;
}
template <class V>
NZ_DEVICE V max_all(Thread& t, V v) {
  for (int mask = 16; mask > 0; mask /= 2) {
    const V other = t.shuffle_xor(v, mask);
    v = other > v ? other : v;
  }
  return v;
}

// The place of the lowest one of a mask that has any.
NZ_DEVICE int lowest(unsigned mask) { return bit_count((mask & (0u - mask)) - 1); }

NZ_DEVICE unsigned or_all(Thread& t, unsigned v) {
  for (int mask = 16; mask > 0; mask /= 2) v |= t.shuffle_xor(v, mask);
  return v;
}

// The sum over the lanes before this one and itself.
template <class V>
NZ_DEVICE V inclusive_sum(Thread& t, V v) {
  for (int by = 1; by < 32; by *= 2) {
    const V before = t.shuffle_up(v, by);
    if (t.lane() >= by) v += before;
  }
  return v;
}

// Inclusive sums over runs of equal keys: lane i gets the sum of v over the lanes before it, and
// itself, back to where its run begins. Equal keys are neighbours.
template <class V, class Key>
NZ_DEVICE V segmented_sum(Thread& t, V v, Key key) {
  for (int by = 1; by < 32; by *= 2) {
    const V before = t.shuffle_up(v, by);
    const Key its = t.shuffle_up(key, by);
    if (t.lane() >= by && its == key) v += before;
  }
  return v;
}

}  // namespace nz::NZ_HOME
