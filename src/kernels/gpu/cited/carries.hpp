#pragma once
#include <nonzero/types.hpp>

#include "simt/simt.hpp"
#include "simt/warp.hpp"

// Rows that go on from one thread to the next, and from one block to the next, as merge-path SpMV
// and the calibrator of CSR5 have them: every thread leaves the row in which it ends and what it
// has of that row.
namespace nz::NZ_HOME {

template <class T>
struct Carry {
  index_t row;
  T sum;
};

// Reduce-by-key over the block. `mine` is what this thread leaves, rows not decreasing from thread
// to thread. The result is what all threads before it have left of the row in which the one before
// it ends; `*last` becomes, in every thread, what the whole block leaves.
// Two shared arrays of an element a warp; every thread of the block calls it, once.
template <class T>
NZ_DEVICE T carried_in(Thread& t, const Carry<T>& mine, const SharedArray<index_t>& warp_rows,
                       const SharedArray<T>& warp_sums, Carry<T>* last) {
  const T inclusive = segmented_sum(t, mine.sum, mine.row);
  if (t.lane() == 31) {
    warp_rows[t.warp()] = mine.row;
    warp_sums[t.warp()] = inclusive;
  }
  t.sync();
  // Where a warp ends in the row in which the one before it ended, it has no other.
  Carry<T> before{-1, T(0)}, run{-1, T(0)};
  for (int w = 0; w < t.warps(); ++w) {
    if (w == t.warp()) before = run;
    const index_t row = warp_rows[w];
    const T sum = warp_sums[w];
    run = {row, row == run.row ? run.sum + sum : sum};
  }
  *last = run;
  T in = t.shuffle_up(inclusive, 1);
  index_t row = t.shuffle_up(mine.row, 1);
  if (t.lane() == 0)
    in = before.sum;
  else if (row == before.row)
    in += before.sum;
  return in;
}

// What the blocks have left is added to y, which has everything else: a thread a block. Neighbours
// of one row are added up within the warp, so that an atomic a run remains.
template <class T>
NZ_DEVICE void add_carries(Thread& t, Carry<T> mine, index_t rows, T alpha, T* y) {
  const T sum = segmented_sum(t, mine.sum, mine.row);
  const index_t after = t.shuffle_down(mine.row, 1);
  const bool ends = t.lane() == 31 || after != mine.row;
  if (ends && mine.row >= 0 && mine.row < rows && sum != T(0))
    t.atomic_add(y + mine.row, alpha * sum);
}

}  // namespace nz::NZ_HOME
