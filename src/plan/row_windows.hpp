#pragma once
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

namespace nz {

struct RowWindows {
  index_t count = 1;
  index_t rows = 1;   // of each
  index_t apart = 1;  // they begin as far beyond their place in the sample as a multiple of this
  std::int64_t entries = 0;  // at most of each; the rows beyond are empty in the sample

  bool whole = true;  // the limit is far from what a window usually has

  // For a short look: 240 rows, which most block sides divide, and 21 apart, which with them 7 and
  // 9 divide as well, so that blocks stay whole where windows are.
  static RowWindows of(index_t all, std::int64_t nnz);
};

// The rows of some windows, spread evenly over a matrix in host memory or in the device's, one
// window after the other: a matrix in host memory that has its blocks where they were.
// Only the windows are fetched.
template <Value T, Offset O>
Csr<T, std::int64_t> sample_windows(Device device, const CsrView<T, O>& a,
                                    const RowWindows& windows);

}  // namespace nz
