#pragma once
#include <cstdint>
#include <vector>

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

template <Value T>
struct RowSample {
  Csr<T, std::int64_t> rows;
  std::vector<index_t> starts;  // of the windows within it, and the end
  double longest = 0;           // row of some thousands
};

// The rows of some windows, spread evenly over a matrix in host memory or in the device's, one
// window after the other, in host memory. Only the windows are fetched. Windows that should be
// whole keep their number of rows, so that blocks are where they were; of others only rows within
// the limit are there.
template <Value T, Offset O>
RowSample<T> sample_windows(Device device, const CsrView<T, O>& a, const RowWindows& windows);

}  // namespace nz
