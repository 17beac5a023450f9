#include <nonzero/formats/csr.hpp>

#include <concepts>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/assemble.hpp"
#include "formats/checks.hpp"

namespace nz {

template <Value T, Offset O>
void validate(const CsrView<T, O>& a) {
  check_shape("CSR", a.rows, a.cols);
  if (!a.offsets) throw BadInput("CSR: no offsets");
  check_offsets("CSR", "row", a.offsets, a.rows, a.nnz);
  if (a.nnz > 0 && (!a.columns || !a.values)) throw BadInput("CSR: no columns or values");
  check_columns("CSR", "row", a.offsets, a.columns, a.rows, a.cols);
}

template <Value T, Offset O>
void Csr<T, O>::validate() const {
  check_shape("CSR", rows, cols);
  check_size("CSR", "offsets", offsets.size(), static_cast<std::size_t>(rows) + 1);
  check_size("CSR", "values", values.size(), columns.size());
  check_offsets("CSR", "row", offsets.data(), rows, static_cast<std::int64_t>(columns.size()));
  check_columns("CSR", "row", offsets.data(), columns.data(), rows, cols);
}

template <Value T, Offset O>
Csr<T, O> csr_from_triplets(index_t rows, index_t cols, std::span<const index_t> row,
                            std::span<const index_t> column, std::span<const T> value) {
  if (row.size() != column.size() || row.size() != value.size())
    throw InvalidArgument(fmt::format("triplets: {} rows, {} columns and {} values", row.size(),
                                      column.size(), value.size()));
  check_triplet_indices(rows, cols, row, column);
  const TripletChunk<T> all{row, column, value};
  return assemble_csr<T, O>(rows, cols, std::span(&all, 1));
}

template <Value T, Offset O>
Csr<T, O> csr_from_arrays(index_t rows, index_t cols, std::span<const O> offsets,
                          std::span<const index_t> columns, std::span<const T> values) {
  check_shape("CSR", rows, cols);
  check_size("CSR", "offsets", offsets.size(), static_cast<std::size_t>(rows) + 1);
  check_size("CSR", "values", values.size(), columns.size());
  check_offsets("CSR", "row", offsets.data(), rows, static_cast<std::int64_t>(columns.size()));
  check_column_range("CSR", "row", offsets.data(), columns.data(), rows, cols);
  Csr<T, O> a{rows, cols, Array<O>(offsets), Array<index_t>(columns), Array<T>(values)};
  sort_rows_and_sum(a);
  return a;
}

template <Value U, Offset P, Value T, Offset O>
Csr<U, P> csr_cast(const CsrView<T, O>& a) requires(ComplexValue<U> || RealValue<T>) {
  require_countable<P>(a.nnz, "CSR");
  const auto rows = static_cast<std::size_t>(a.rows) + 1;
  const auto nnz = static_cast<std::size_t>(a.nnz);
  Csr<U, P> b{a.rows, a.cols, Array<P>(rows), Array<index_t>(nnz), Array<U>(nnz)};
  parallel_ranges(rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) b.offsets[i] = static_cast<P>(a.offsets[i]);
  });
  parallel_ranges(nnz, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      b.columns[k] = a.columns[k];
      if constexpr (ComplexValue<U> && !ComplexValue<T>)
        b.values[k] = static_cast<real_of<U>>(a.values[k]);
      else
        b.values[k] = static_cast<U>(a.values[k]);
    }
  });
  return b;
}

template <Offset P, Value T, Offset O>
Csr<T, P> csr_with_offsets(Csr<T, O>&& a) {
  if constexpr (std::same_as<O, P>) return std::exchange(a, {});
  require_countable<P>(a.nnz(), "CSR");
  Csr<T, P> b{a.rows, a.cols, Array<P>(a.offsets.size()), std::move(a.columns),
              std::move(a.values)};
  parallel_ranges(a.offsets.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) b.offsets[i] = static_cast<P>(a.offsets[i]);
  });
  a = {};
  return b;
}

#define NZ_INSTANTIATE(T, O)                                                                \
  template struct Csr<T, O>;                                                                \
  template void validate(const CsrView<T, O>&);                                             \
  template Csr<T, O> csr_from_triplets<T, O>(index_t, index_t, std::span<const index_t>,    \
                                             std::span<const index_t>, std::span<const T>); \
  template Csr<T, O> csr_from_arrays<T, O>(index_t, index_t, std::span<const O>,            \
                                           std::span<const index_t>, std::span<const T>);   \
  template Csr<T, std::int32_t> csr_with_offsets<std::int32_t>(Csr<T, O> &&);               \
  template Csr<T, std::int64_t> csr_with_offsets<std::int64_t>(Csr<T, O> &&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)
#define NZ_INSTANTIATE_CAST(T, O)                                                          \
  template Csr<float, std::int32_t> csr_cast<float, std::int32_t>(const CsrView<T, O>&);   \
  template Csr<float, std::int64_t> csr_cast<float, std::int64_t>(const CsrView<T, O>&);   \
  template Csr<double, std::int32_t> csr_cast<double, std::int32_t>(const CsrView<T, O>&); \
  template Csr<double, std::int64_t> csr_cast<double, std::int64_t>(const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE_CAST)
#define NZ_INSTANTIATE_COMPLEX_CAST(U, P)                                                \
  template Csr<U, P> csr_cast<U, P>(const CsrView<float, std::int32_t>&);                \
  template Csr<U, P> csr_cast<U, P>(const CsrView<float, std::int64_t>&);                \
  template Csr<U, P> csr_cast<U, P>(const CsrView<double, std::int32_t>&);               \
  template Csr<U, P> csr_cast<U, P>(const CsrView<double, std::int64_t>&);               \
  template Csr<U, P> csr_cast<U, P>(const CsrView<std::complex<float>, std::int32_t>&);  \
  template Csr<U, P> csr_cast<U, P>(const CsrView<std::complex<float>, std::int64_t>&);  \
  template Csr<U, P> csr_cast<U, P>(const CsrView<std::complex<double>, std::int32_t>&); \
  template Csr<U, P> csr_cast<U, P>(const CsrView<std::complex<double>, std::int64_t>&);
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE_COMPLEX_CAST)

}  // namespace nz
