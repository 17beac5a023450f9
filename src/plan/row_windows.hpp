#pragma once
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

namespace nz {

struct RowWindows {
  index_t count = 16;
  // Of each; a multiple of a tile's side and of most block sides.
  index_t rows = 3840;
  // Windows begin as far beyond their place in the sample as a multiple of so many windows: with
  // the rows of one, of 7 and 9 as well, so that blocks stay whole. 0: each is in the middle of its
  // part of the rows, else they go from the first to the last.
  index_t apart = 63;
  std::int64_t entries = 65'536;  // at most of each; the rows beyond are empty in the sample

  // Fewer rows are better looked at as they are.
  std::int64_t fewest_rows() const { return std::int64_t{count} * apart * rows; }
};

// The rows of some windows, spread evenly over a matrix in host memory or in the device's, one
// window after the other: a matrix in host memory that has its blocks and tiles where they were.
// Only the windows are fetched.
template <Value T, Offset O>
Csr<T, std::int64_t> sample_windows(Device device, const CsrView<T, O>& a,
                                    const RowWindows& windows);

}  // namespace nz
