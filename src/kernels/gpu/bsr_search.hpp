#pragma once
#include <cstdint>

#include <nonzero/types.hpp>

#include "simt/simt.hpp"

// What making BSR and ordering its blocks look up.
namespace nz::NZ_HOME {

NZ_DEVICE int ones(unsigned v) {
  v -= v >> 1 & 0x55555555u;
  v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
  return static_cast<int>(((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

// The row that entry k belongs to by the offsets, known to be one of low to high.
template <class O>
NZ_DEVICE index_t row_of(Thread& t, const O* offsets, std::int64_t k, index_t low, index_t high) {
  while (low < high) {
    const index_t middle = low + (high - low) / 2;
    if (t.load(offsets + middle + 1) > k)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
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
  while (low < high) {
    const N middle = low + (high - low) / 2;
    if (t.load(columns + middle) < left)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace nz::NZ_HOME
