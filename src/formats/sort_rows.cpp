#include "formats/sort_rows.hpp"

#include <algorithm>
#include <atomic>
#include <functional>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/assemble.hpp"

namespace nz {
namespace {

constexpr int short_row = 32;  // up to here insertion beats a merge sort

}  // namespace

template <Value T, Offset O>
O RowSorter<T, O>::settle_row(index_t* columns, T* values, O n) {
  if (n <= short_row) {
    for (O k = 1; k < n; ++k) {
      const index_t c = columns[k];
      const T v = values[k];
      O at = k;
      for (; at > 0 && columns[at - 1] > c; --at) {
        columns[at] = columns[at - 1];
        values[at] = values[at - 1];
      }
      columns[at] = c;
      values[at] = v;
    }
  } else if (!std::is_sorted(columns, columns + n)) {
    pairs_.resize(static_cast<std::size_t>(n));
    for (O k = 0; k < n; ++k) pairs_[static_cast<std::size_t>(k)] = {columns[k], values[k]};
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const Pair& a, const Pair& b) { return a.column < b.column; });
    for (O k = 0; k < n; ++k) {
      columns[k] = pairs_[static_cast<std::size_t>(k)].column;
      values[k] = pairs_[static_cast<std::size_t>(k)].value;
    }
  }
  O last = 0;
  for (O k = 1; k < n; ++k) {
    if (columns[k] == columns[last]) {
      values[last] += values[k];
    } else {
      ++last;
      columns[last] = columns[k];
      values[last] = values[k];
    }
  }
  return last + 1;
}

template <Value T, Offset O>
O RowSorter<T, O>::settle(Csr<T, O>& a, index_t begin, index_t end, O stop) {
  index_t* const columns = a.columns.data();
  T* const values = a.values.data();
  O to = a.offsets[begin];
  for (index_t i = begin; i < end; ++i) {
    const O from = a.offsets[i], next = i + 1 < end ? a.offsets[i + 1] : stop;
    O n = next - from;
    bool rising = true;
    for (O k = from + 1; k < next; ++k) rising &= columns[k - 1] < columns[k];
    if (!rising) n = settle_row(columns + from, values + from, n);
    if (to != from) {
      std::copy_n(columns + from, n, columns + to);
      std::copy_n(values + from, n, values + to);
      a.offsets[i] = to;
    }
    to += n;
  }
  return to;
}

template <Value T, Offset O>
void close_gaps(Csr<T, O>& a, const std::vector<SettledRange<O>>& ranges) {
  O to = 0;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const auto [first, begin, end] = ranges[r];
    const index_t last = r + 1 < ranges.size() ? ranges[r + 1].first : a.rows;
    if (to != begin) {
      std::copy(a.columns.data() + begin, a.columns.data() + end, a.columns.data() + to);
      std::copy(a.values.data() + begin, a.values.data() + end, a.values.data() + to);
      for (index_t i = first; i < last; ++i) a.offsets[i] -= begin - to;
    }
    to += end - begin;
  }
  a.offsets[a.rows] = to;
  a.columns.truncate(static_cast<std::size_t>(to));
  a.values.truncate(static_cast<std::size_t>(to));
}

template <Value T, Offset O>
void sort_rows_and_sum(Csr<T, O>& a) {
  if (a.rows == 0) return;
  const int count = static_cast<int>(std::clamp<std::int64_t>(a.nnz() >> 14, 1, 1024));
  std::vector<SettledRange<O>> ranges;
  for (int r = 0; r < count; ++r) {
    const auto [begin, end] = part_of(a.rows, r, count);
    if (begin < end) ranges.push_back({begin, a.offsets[begin], a.offsets[end]});
  }
  std::atomic<std::size_t> next{0};
  parallel(ranges.size() < 2 ? 1 : threads(), [&](int, int) {
    RowSorter<T, O> sorter;
    for (std::size_t r; (r = next++) < ranges.size();) {
      const index_t end = r + 1 < ranges.size() ? ranges[r + 1].first : a.rows;
      ranges[r].end = sorter.settle(a, ranges[r].first, end, ranges[r].end);
    }
  });
  close_gaps(a, ranges);
}

#define NZ_INSTANTIATE(T, O)                                                 \
  template class RowSorter<T, O>;                                            \
  template void close_gaps(Csr<T, O>&, const std::vector<SettledRange<O>>&); \
  template void sort_rows_and_sum(Csr<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
