#pragma once
#include <cstdint>

#include <nonzero/types.hpp>

#include "simt/simt.hpp"

// Binary searches of a thread.
namespace nz::NZ_HOME {

// The first i from low on for which `before(i)` is false, or high. `before` is true up to some
// place and false from there on.
template <class I, class Before>
NZ_DEVICE I partition_point(I low, I high, Before&& before) {
  while (low < high) {
    const I middle = low + (high - low) / 2;
    if (before(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The row that entry k belongs to by the offsets, known to be one of low to high.
template <class O>
NZ_DEVICE index_t row_of(Thread& t, const O* offsets, std::int64_t k, index_t low, index_t high) {
  return partition_point(low, high, [&](index_t r) { return t.load(offsets + r + 1) <= k; });
}

// The first of n columns, none less than the one before, that is at least `left`: n where there is
// none. Looked for at `guess` first, which is not negative.
template <class N>
NZ_DEVICE N first_from(Thread& t, const index_t* columns, N n, index_t left, N guess) {
  N low = 0, high = n;
  if (guess >= n) guess = n - 1;
  if (n > 0) {
    if (t.load(columns + guess) < left)
      low = guess + 1;
    else if (guess == 0 || t.load(columns + guess - 1) < left)
      return guess;
    else
      high = guess - 1;
  }
  return partition_point(low, high, [&](N i) { return t.load(columns + i) < left; });
}

}  // namespace nz::NZ_HOME
