#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <nonzero/formats/csr.hpp>

namespace nz {

// What gpu/packed/slices would make of rows that lie side by side.
struct SliceSamples {
  double bytes = 0;  // a nonzero
  double runs = 0;   // a slice: descriptions of runs
  double picks = 0;  // a slice: places for 32 picks
  double depth = 0;  // the most picks that follow each other in a slice
  double steps = 0;  // a slice: diagonals that its rows are walked by
};

// Rows from `starts[i]` up to `starts[i + 1]` lie side by side in the matrix. `value_bytes`: of a
// value in its narrowest code. Without bytes where too few do for a slice.
template <Value T>
SliceSamples pack_samples(const CsrView<T, std::int64_t>& rows, std::span<const index_t> starts,
                          std::size_t value_bytes);

}  // namespace nz
