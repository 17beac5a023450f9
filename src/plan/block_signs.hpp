#pragma once
#include <algorithm>
#include <cstdint>

#include <nonzero/formats/csr.hpp>

// Signs of dense blocks that are seen at a glance, so that who sees none need not look for them.
namespace nz {

// Share of the entries with a right neighbour. Squares of which at most a third is empty have far
// more, so that looking for them is in vain.
inline constexpr double fewest_side_by_side = 0.15;
template <Value T>
double side_by_side(const Csr<T, std::int64_t>& a) {
  std::int64_t pairs = 0;  // some from one row to the next, by chance
  for (std::size_t k = 1; k < a.columns.size(); ++k) pairs += a.columns[k] == a.columns[k - 1] + 1;
  return static_cast<double>(pairs) / static_cast<double>(std::max<std::int64_t>(1, a.nnz()));
}

// Share of the rows that have most columns in common with the next one. Of squares that are worth
// their fill, every second row at least.
inline constexpr double fewest_alike = 0.2;
template <Value T>
double rows_alike(const Csr<T, std::int64_t>& a) {
  constexpr double most = 0.55;  // of the columns that either has
  std::int64_t alike = 0, pairs = 0;
  for (index_t i = 0; i + 1 < a.rows; ++i) {
    std::int64_t k = a.offsets[i], l = a.offsets[i + 1], both = 0;
    const std::int64_t k_end = l, l_end = a.offsets[i + 2];
    if (k == k_end || l == l_end) continue;
    while (k < k_end && l < l_end) {
      const index_t c = a.columns[k], d = a.columns[l];
      both += c == d;
      k += c <= d;
      l += d <= c;
    }
    ++pairs;
    alike += static_cast<double>(both) >= most * static_cast<double>(l_end - a.offsets[i] - both);
  }
  return pairs > 0 ? static_cast<double>(alike) / static_cast<double>(pairs) : 0;
}

// Of rows of a matrix, most of them next to each other.
template <Value T>
bool may_have_blocks(const Csr<T, std::int64_t>& rows) {
  return side_by_side(rows) >= fewest_side_by_side && rows_alike(rows) >= fewest_alike;
}

}  // namespace nz
