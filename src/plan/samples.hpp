#pragma once
#include <cstddef>

#include <nonzero/formats/csr.hpp>

#include "plan/look_sample.hpp"
#include "plan/slice_samples.hpp"

namespace nz {

// What samples of a matrix say about how to multiply it, in a time that does not grow with it.
struct Samples {
  double entries = 0;        // looked at
  int block = 1;             // side of the dense blocks that suit best; 1: none
  double block_fill = 1;     // values that blocks of this side store, a nonzero
  double compact_bytes = 0;  // of the compact format, a nonzero
  double packed_bytes = 0;   // of the packed format, a nonzero; 0: it would decline
  double run_share = 0;      // of the entries that are in its runs
  double lines = 0;          // cache lines of x that a few hundred rows touch, a nonzero
  double overlap = 0;        // how often parts of rows for each thread touch a column, on average
  // Of a value in its narrowest code: without those of 16 bits, and with them.
  double value_bytes = 0, compact_value_bytes = 0;
  double hottest = 0;      // share of the entries that one column has, on a GPU
  double panel_parts = 0;  // of rows, in panels of columns, a nonzero, likewise
  SliceSamples slices{};   // likewise
};

// What cpu/sell/gather would store, a nonzero, by the lengths of some rows; 0: they are empty.
template <Value T, Offset O>
double sell_slots(const CsrView<T, O>& a);

// What CPUs need, from an eighth of the entries, within bounds. The matrix is in host memory.
template <Value T, Offset O>
Samples take_samples(const CsrView<T, O>& a, int threads);

// The same as take_samples without blocks and overlap, from far fewer, for a GPU whose blocks have
// so much shared memory.
template <Value T>
Samples take_few_samples(const LookSample<T>& of, std::size_t shared_bytes);

}  // namespace nz
