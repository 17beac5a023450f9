#pragma once
#include <algorithm>
#include <numeric>

#include <nonzero/array.hpp>
#include <nonzero/formats/csr.hpp>

#include "formats/assemble.hpp"

namespace nz {

// counts[i] = entries of line i, with one more element at the end. Afterwards counts[i] is where
// line i starts, and the last element is their sum, which is returned.
inline std::int64_t scan_counts(Array<std::int64_t>& counts) {
  counts.back() = 0;
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), std::int64_t{0});
  return counts.back();
}

// CSR with room for counts[i] entries in row i, which becomes the place where the row starts.
// Refused when O cannot count them.
template <Value T, Offset O>
Csr<T, O> csr_with_room(index_t rows, index_t cols, Array<std::int64_t>& counts) {
  const std::int64_t nnz = scan_counts(counts);
  require_countable<O>(nnz, "CSR");
  Csr<T, O> a{rows, cols, Array<O>(counts.size()), Array<index_t>(static_cast<std::size_t>(nnz)),
              Array<T>(static_cast<std::size_t>(nnz))};
  std::transform(counts.begin(), counts.end(), a.offsets.begin(),
                 [](std::int64_t n) { return static_cast<O>(n); });
  return a;
}

}  // namespace nz
