#include <nonzero/formats/coo.hpp>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/complex.hpp"
#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/assemble.hpp"
#include "formats/checks.hpp"

namespace nz {

template <Value T>
void Coo<T>::validate() const {
  check_size("COO", "row", row.size(), values.size());
  check_size("COO", "column", column.size(), values.size());
  check_indices("COO", rows, cols, row, column);
  check_each(values.size(), [&](std::size_t k) {
    if (k > 0 && (row[k] < row[k - 1] || (row[k] == row[k - 1] && column[k] <= column[k - 1])))
      throw BadInput(
          fmt::format("COO: entry {}: ({}, {}) does not follow ({}, {}) (counting from 0)", k,
                      row[k], column[k], row[k - 1], column[k - 1]));
  });
}

template <Value T, Offset O>
Coo<T> coo_from_csr(const CsrView<T, O>& a) {
  const auto nnz = static_cast<std::size_t>(a.nnz);
  Coo<T> b{a.rows, a.cols, Array<index_t>(nnz), Array<index_t>(nnz), Array<T>(nnz)};
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i)
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
        b.row[k] = i;
        b.column[k] = a.columns[k];
        b.values[k] = a.values[k];
      }
  });
  return b;
}

template <Offset O, Value T>
Csr<T, O> coo_to_csr(const CooView<T>& a) {
  require_countable<O>(a.nnz, "CSR");
  const auto nnz = static_cast<std::size_t>(a.nnz);
  Csr<T, O> b{a.rows, a.cols, Array<O>(static_cast<std::size_t>(a.rows) + 1), Array<index_t>(nnz),
              Array<T>(nnz)};
  // Where the row changes from one entry to the next, the rows after the old one up to the new one
  // start; the ends of the list count as rows -1 and `rows`.
  parallel_ranges(nnz + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const index_t before = k == 0 ? -1 : a.row[k - 1];
      const index_t here = k == nnz ? a.rows : a.row[k];
      for (index_t i = before; i < here; ++i) b.offsets[i + 1] = static_cast<O>(k);
      if (k == nnz) break;
      b.columns[k] = a.column[k];
      b.values[k] = a.values[k];
    }
  });
  return b;
}

template <Value T>
Coo<T> coo_from_triplets(index_t rows, index_t cols, std::span<const index_t> row,
                         std::span<const index_t> column, std::span<const T> value) {
  return coo_from_csr(csr_from_triplets<T, std::int64_t>(rows, cols, row, column, value).view());
}

#define NZ_INSTANTIATE(T)                                                          \
  template struct Coo<T>;                                                          \
  template Coo<T> coo_from_csr(const CsrView<T, std::int32_t>&);                   \
  template Coo<T> coo_from_csr(const CsrView<T, std::int64_t>&);                   \
  template Csr<T, std::int32_t> coo_to_csr<std::int32_t>(const CooView<T>&);       \
  template Csr<T, std::int64_t> coo_to_csr<std::int64_t>(const CooView<T>&);       \
  template Coo<T> coo_from_triplets<T>(index_t, index_t, std::span<const index_t>, \
                                       std::span<const index_t>, std::span<const T>);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)
template Coo<KernelComplex<float>> coo_from_csr(const CsrView<KernelComplex<float>, std::int32_t>&);
template Coo<KernelComplex<float>> coo_from_csr(const CsrView<KernelComplex<float>, std::int64_t>&);
template Coo<KernelComplex<double>> coo_from_csr(
    const CsrView<KernelComplex<double>, std::int32_t>&);
template Coo<KernelComplex<double>> coo_from_csr(
    const CsrView<KernelComplex<double>, std::int64_t>&);

}  // namespace nz
