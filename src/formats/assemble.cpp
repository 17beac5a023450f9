#include "formats/assemble.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"

namespace nz {

template <Offset O>
void require_countable(std::int64_t n, const char* what) {
  if (n > std::numeric_limits<O>::max())
    throw Refused(fmt::format("{}: {} entries do not fit {}-bit offsets; use 64-bit ones", what, n,
                              8 * sizeof(O)));
}
template void require_countable<std::int32_t>(std::int64_t, const char*);
template void require_countable<std::int64_t>(std::int64_t, const char*);

namespace {

// Stable by column; returns the number of entries left once duplicates are summed.
template <class T, class O>
O sort_row(index_t* columns, T* values, O n, std::vector<O>& order, std::vector<index_t>& c,
           std::vector<T>& v) {
  if (std::is_sorted(columns, columns + n, std::less_equal<index_t>())) return n;
  if (!std::is_sorted(columns, columns + n)) {
    order.resize(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), O{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](O a, O b) { return columns[a] < columns[b]; });
    c.assign(columns, columns + n);
    v.assign(values, values + n);
    for (O k = 0; k < n; ++k) {
      columns[k] = c[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])];
      values[k] = v[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])];
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

}  // namespace

template <Value T, Offset O>
void sort_rows_and_sum(Csr<T, O>& a) {
  Array<O> kept(static_cast<std::size_t>(a.rows));
  std::atomic<bool> shrunk{false};
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    std::vector<O> order;
    std::vector<index_t> c;
    std::vector<T> v;
    for (index_t i = begin; i < end; ++i) {
      const O first = a.offsets[i], n = a.offsets[i + 1] - first;
      kept[i] = n < 2 ? n : sort_row(a.columns.data() + first, a.values.data() + first, n, order, c, v);
      if (kept[i] != n) shrunk = true;
    }
  });
  if (!shrunk) return;
  O to = 0;
  for (index_t i = 0; i < a.rows; ++i) {
    const O from = a.offsets[i];
    std::copy_n(a.columns.data() + from, kept[i], a.columns.data() + to);
    std::copy_n(a.values.data() + from, kept[i], a.values.data() + to);
    a.offsets[i] = to;
    to += kept[i];
  }
  a.offsets[a.rows] = to;
  a.columns.truncate(static_cast<std::size_t>(to));
  a.values.truncate(static_cast<std::size_t>(to));
}

template <Value T, Offset O>
Csr<T, O> assemble_csr(index_t rows, index_t cols, std::span<const TripletChunk<T>> chunks,
                       Mirror mirror) {
  Array<std::int64_t> count(static_cast<std::size_t>(rows) + 1, 0);
  for (const auto& chunk : chunks)
    for (std::size_t k = 0; k < chunk.row.size(); ++k) {
      ++count[chunk.row[k]];
      if (mirror != Mirror::none && chunk.row[k] != chunk.column[k]) ++count[chunk.column[k]];
    }
  std::exclusive_scan(count.begin(), count.end(), count.begin(), std::int64_t{0});
  const std::int64_t nnz = count.back();
  require_countable<O>(nnz, "CSR");

  Csr<T, O> a{rows, cols, Array<O>(count.size()), Array<index_t>(static_cast<std::size_t>(nnz)),
              Array<T>(static_cast<std::size_t>(nnz))};
  std::transform(count.begin(), count.end(), a.offsets.begin(),
                 [](std::int64_t n) { return static_cast<O>(n); });
  const auto place = [&](index_t i, index_t j, T v) {
    const std::int64_t k = count[i]++;
    a.columns[k] = j;
    a.values[k] = v;
  };
  for (const auto& chunk : chunks)
    for (std::size_t k = 0; k < chunk.row.size(); ++k) {
      const index_t i = chunk.row[k], j = chunk.column[k];
      const T v = chunk.value[k];
      place(i, j, v);
      if (mirror != Mirror::none && i != j) place(j, i, mirror == Mirror::skew ? -v : v);
    }
  sort_rows_and_sum(a);
  return a;
}

#define NZ_INSTANTIATE(T, O)                                                                  \
  template void sort_rows_and_sum(Csr<T, O>&);                                                \
  template Csr<T, O> assemble_csr<T, O>(index_t, index_t, std::span<const TripletChunk<T>>, \
                                        Mirror);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
