#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <nonzero/formats/csr.hpp>

namespace nz::cpu {

// Where a part of a CSR matrix begins: an entry, and the row it is in (or the row that begins
// there). A part ends where the next begins, perhaps in the middle of a row.
struct Cut {
  index_t row = 0;
  std::int64_t entry = 0;
};

// The first index of [0, n] whose weight, which never falls, is at least `target`; n if none is.
template <class Weight>
index_t first_at_least(index_t n, std::int64_t target, Weight&& weight) {
  index_t low = 0, high = n;
  while (low < high) {
    const index_t middle = low + (high - low) / 2;
    if (weight(middle) < target)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Cuts lines 0 to n, whose weights before line i are weight(i), into parts of about equal weight.
template <class Weight>
std::vector<index_t> split_lines(index_t n, int parts, Weight&& weight) {
  std::vector<index_t> cuts;
  const std::int64_t all = weight(n);
  for (int p = 0; p <= parts; ++p)
    cuts.push_back(
        p == parts ? n : first_at_least(n, all / parts * p + all % parts * p / parts, weight));
  return cuts;
}

// Parts of equal work, rows and entries counted alike (Merrill & Garland 2016: merge path), so that
// neither a giant row nor a million empty ones upset the balance. parts + 1 cuts.
template <Value T, Offset O>
std::vector<Cut> split_entries(const CsrView<T, O>& a, int parts) {
  const std::int64_t work = a.rows + static_cast<std::int64_t>(a.nnz);
  std::vector<Cut> cuts(static_cast<std::size_t>(parts) + 1);
  for (int p = 0; p <= parts; ++p) {
    const std::int64_t target =
        work / parts * p + work % parts * p / parts;  // p/parts of the work, without overflow
    // The last row whose beginning, offsets[row] + row, is at or before the target.
    index_t low = 0, high = a.rows;
    while (low < high) {
      const index_t middle = low + (high - low + 1) / 2;
      if (static_cast<std::int64_t>(a.offsets[middle]) + middle <= target)
        low = middle;
      else
        high = middle - 1;
    }
    cuts[static_cast<std::size_t>(p)] = {low, target - low};
  }
  return cuts;
}

// How many threads `work` nonzeros are worth: waking one costs microseconds.
inline int team_size(int threads, std::int64_t work, std::int64_t grain) {
  return static_cast<int>(std::clamp<std::int64_t>(work / grain, 1, threads));
}

}  // namespace nz::cpu
