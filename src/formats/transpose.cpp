#include <algorithm>

#include <nonzero/formats/csr.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"

namespace nz {
namespace {

// The first row of one of `parts` runs of whole rows with about as many entries each.
template <class T, class O>
index_t first_row(const CsrView<T, O>& a, int part, int parts) {
  if (part == parts) return a.rows;
  const std::int64_t target = static_cast<std::int64_t>(a.nnz) / parts * part;
  return static_cast<index_t>(std::lower_bound(a.offsets, a.offsets + a.rows, target) - a.offsets);
}

template <class Body>
void for_each_part(int parts, Body&& body) {
  // All or one: OpenMP ends the threads that a smaller team leaves out.
  parallel(parts > 1 ? threads() : 1, [&](int thread, int count) {
    for (int p = thread; p < parts; p += count) body(p);
  });
}

}  // namespace

// A counting sort by column. Each part of the rows counts its own columns, so that it knows where
// its entries go; they come out in the order of rows for any number of parts.
template <Value T, Offset O>
Csr<T, O> transpose(const CsrView<T, O>& a) {
  const auto nnz = static_cast<std::size_t>(a.nnz);
  const auto cols = static_cast<std::size_t>(a.cols);
  // The counts of all parts together take no more than about one array of the matrix.
  const auto affordable = static_cast<std::int64_t>(nnz / (cols + 1));
  const int parts = static_cast<int>(std::clamp<std::int64_t>(affordable, 1, threads()));

  Csr<T, O> b{a.cols, a.rows, Array<O>(cols + 1), Array<index_t>(nnz), Array<T>(nnz)};
  Array<O> next(cols * static_cast<std::size_t>(parts));
  for_each_part(parts, [&](int p) {
    O* count = next.data() + static_cast<std::size_t>(p) * cols;
    std::fill_n(count, cols, O{0});
    const O end = a.offsets[first_row(a, p + 1, parts)];
    for (O k = a.offsets[first_row(a, p, parts)]; k < end; ++k) ++count[a.columns[k]];
  });
  O sum = 0;
  for (std::size_t j = 0; j < cols; ++j) {
    b.offsets[j] = sum;
    for (std::size_t at = j; at < next.size(); at += cols) sum += std::exchange(next[at], sum);
  }
  b.offsets[cols] = sum;
  for_each_part(parts, [&](int p) {
    O* to = next.data() + static_cast<std::size_t>(p) * cols;
    const index_t end = first_row(a, p + 1, parts);
    for (index_t i = first_row(a, p, parts); i < end; ++i)
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
        const O at = to[a.columns[k]]++;
        b.columns[at] = i;
        b.values[at] = a.values[k];
      }
  });
  return b;
}

#define NZ_INSTANTIATE(T, O) template Csr<T, O> transpose(const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
