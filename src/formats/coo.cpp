#include <nonzero/formats/coo.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/assemble.hpp"
#include "formats/checks.hpp"

namespace nz {

template <Value T>
void Coo<T>::validate() const {
  check_size("COO", "row", row.size(), values.size());
  check_size("COO", "column", column.size(), values.size());
  check_triplet_indices(rows, cols, row, column);
  for (std::size_t k = 1; k < values.size(); ++k)
    if (row[k] < row[k - 1] || (row[k] == row[k - 1] && column[k] <= column[k - 1]))
      throw BadInput(fmt::format("COO: entry {}: ({}, {}) does not follow ({}, {})", k, row[k],
                                 column[k], row[k - 1], column[k - 1]));
}

template <Value T, Offset O>
Coo<T> coo_from_csr(const CsrView<T, O>& a) {
  const auto nnz = static_cast<std::size_t>(a.nnz);
  Coo<T> b{a.rows, a.cols, Array<index_t>(nnz), Array<index_t>(std::span(a.columns, nnz)),
           Array<T>(std::span(a.values, nnz))};
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i)
      std::fill(b.row.data() + a.offsets[i], b.row.data() + a.offsets[i + 1], i);
  });
  return b;
}

template <Offset O, Value T>
Csr<T, O> coo_to_csr(const CooView<T>& a) {
  require_countable<O>(a.nnz, "CSR");
  const auto nnz = static_cast<std::size_t>(a.nnz);
  Csr<T, O> b{a.rows, a.cols, Array<O>(static_cast<std::size_t>(a.rows) + 1),
              Array<index_t>(std::span(a.column, nnz)), Array<T>(std::span(a.values, nnz))};
  O k = 0;
  for (index_t i = 0; i <= a.rows; ++i) {
    while (k < static_cast<O>(a.nnz) && a.row[k] < i) ++k;
    b.offsets[i] = k;
  }
  return b;
}

template <Value T>
Coo<T> coo_from_triplets(index_t rows, index_t cols, std::span<const index_t> row,
                         std::span<const index_t> column, std::span<const T> value) {
  return coo_from_csr(csr_from_triplets<T, std::int64_t>(rows, cols, row, column, value).view());
}

#define NZ_INSTANTIATE(T)                                                               \
  template struct Coo<T>;                                                               \
  template Coo<T> coo_from_csr(const CsrView<T, std::int32_t>&);                        \
  template Coo<T> coo_from_csr(const CsrView<T, std::int64_t>&);                        \
  template Csr<T, std::int32_t> coo_to_csr<std::int32_t>(const CooView<T>&);            \
  template Csr<T, std::int64_t> coo_to_csr<std::int64_t>(const CooView<T>&);            \
  template Coo<T> coo_from_triplets<T>(index_t, index_t, std::span<const index_t>,      \
                                       std::span<const index_t>, std::span<const T>);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
