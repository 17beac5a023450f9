#include "lab/bench/statistics.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <mutex>

#include "base/parallel.hpp"

namespace nz::lab {
namespace {

using View = CsrView<double, std::int64_t>;

template <class LengthOf>
Lengths lengths(index_t count, std::int64_t total, LengthOf&& length_of) {
  Lengths s{.count = count};
  if (count == 0) return s;
  s.mean = static_cast<double>(total) / count;
  s.min = s.max = length_of(0);
  double squares = 0;
  for (index_t i = 0; i < count; ++i) {
    const std::int64_t n = length_of(i);
    s.min = std::min(s.min, n);
    s.max = std::max(s.max, n);
    s.empty += n == 0;
    const double off = static_cast<double>(n) - s.mean;
    squares += off * off;
    const auto bucket = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(n)));
    if (bucket >= s.histogram.size()) s.histogram.resize(bucket + 1);
    ++s.histogram[bucket];
  }
  s.deviation = std::sqrt(squares / count);
  return s;
}

Lengths column_lengths(const View& a) {
  Array<index_t> counts(static_cast<std::size_t>(a.cols), 0);
  parallel_ranges(a.nnz, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      std::atomic_ref(counts[static_cast<std::size_t>(a.columns[k])])
          .fetch_add(1, std::memory_order_relaxed);
  });
  return lengths(a.cols, a.nnz, [&](index_t j) { return counts[static_cast<std::size_t>(j)]; });
}

// What one pass over the entries counts; sums of the parts that the threads saw.
struct Tally {
  std::int64_t bandwidth = 0, on_diagonal = 0, zeros = 0, mirrored = 0, equal = 0, opposite = 0;

  void add(const Tally& t) {
    bandwidth = std::max(bandwidth, t.bandwidth);
    on_diagonal += t.on_diagonal;
    zeros += t.zeros;
    mirrored += t.mirrored;
    equal += t.equal;
    opposite += t.opposite;
  }
};

// The entry at (row, column), or null.
const double* find(const View& a, index_t row, index_t column) {
  const index_t *begin = a.columns + a.offsets[row], *end = a.columns + a.offsets[row + 1];
  const index_t* at = std::lower_bound(begin, end, column);
  return at != end && *at == column ? a.values + (at - a.columns) : nullptr;
}

Tally tally_rows(const View& a, index_t first, index_t last, std::uint8_t* seen) {
  Tally t;
  const bool square = a.rows == a.cols;
  for (index_t i = first; i < last; ++i)
    for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      const index_t j = a.columns[k];
      const double v = a.values[k];
      const std::int64_t off = std::int64_t{j} - i;
      t.bandwidth = std::max<std::int64_t>(t.bandwidth, std::abs(off));
      t.zeros += v == 0;
      std::atomic_ref(seen[off + a.rows - 1]).store(1, std::memory_order_relaxed);
      if (off == 0) {
        ++t.on_diagonal;
        t.opposite += v == 0;  // a skew-symmetric matrix may store zeros there
      } else if (square) {
        if (const double* mirror = find(a, j, i)) {
          ++t.mirrored;
          t.equal += *mirror == v;
          t.opposite += *mirror == -v;
        }
      }
    }
  return t;
}

}  // namespace

std::string_view name(NumericSymmetry s) {
  switch (s) {
    case NumericSymmetry::none:
      return "none";
    case NumericSymmetry::symmetric:
      return "symmetric";
    case NumericSymmetry::skew_symmetric:
      return "skew-symmetric";
  }
  return "?";
}

Lengths row_lengths(const View& a) {
  return lengths(a.rows, a.nnz, [&](index_t i) { return a.offsets[i + 1] - a.offsets[i]; });
}

Statistics statistics(const View& a) {
  Statistics s;
  if (a.rows > 0 && a.cols > 0)
    s.density = static_cast<double>(a.nnz) / (static_cast<double>(a.rows) * a.cols);
  s.rows = row_lengths(a);
  s.columns = column_lengths(a);
  if (a.nnz == 0) {
    s.pattern_symmetry = a.rows == a.cols;
    s.symmetry = a.rows == a.cols ? NumericSymmetry::symmetric : NumericSymmetry::none;
    return s;
  }

  Array<std::uint8_t> seen(static_cast<std::size_t>(a.rows) + static_cast<std::size_t>(a.cols), 0);
  Tally all;
  std::mutex guard;
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    const Tally part = tally_rows(a, begin, end, seen.data());
    std::lock_guard lock(guard);
    all.add(part);
  });
  s.bandwidth = all.bandwidth;
  s.diagonals = std::count(seen.begin(), seen.end(), 1);
  s.diagonal_entries = all.on_diagonal;
  s.explicit_zeros = all.zeros;
  if (a.rows == a.cols) {
    const std::int64_t off = a.nnz - all.on_diagonal;
    s.pattern_symmetry =
        off == 0 ? 1 : static_cast<double>(all.mirrored) / static_cast<double>(off);
    if (all.equal == off)
      s.symmetry = NumericSymmetry::symmetric;
    else if (all.opposite == a.nnz)
      s.symmetry = NumericSymmetry::skew_symmetric;
  }
  return s;
}

}  // namespace nz::lab
