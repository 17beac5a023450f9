#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Doubly compressed sparse rows (Buluç and Gilbert 2008): the rows that have entries, increasing,
// and CSR of these alone. Row row[i] holds entries offsets[i] to offsets[i+1], columns strictly
// increasing.
template <RealValue T, Offset O>
struct DcsrView {
  using value_type = T;
  using offset_type = O;
  index_t rows = 0;
  index_t cols = 0;
  index_t listed = 0;  // rows with entries
  O nnz = 0;
  const index_t* row = nullptr;      // listed
  const O* offsets = nullptr;        // listed + 1
  const index_t* columns = nullptr;  // nnz
  const T* values = nullptr;         // nnz

  // CSR of the listed rows.
  CsrView<T, O> packed() const { return {listed, cols, nnz, offsets, columns, values}; }
  // That, and the list.
  std::size_t bytes() const {
    return packed().bytes() + static_cast<std::size_t>(listed) * sizeof(index_t);
  }
};
static_assert(std::is_trivially_copyable_v<DcsrView<double, std::int64_t>>);

template <RealValue T, Offset O>
struct Dcsr {
  index_t rows = 0;
  index_t cols = 0;
  Array<index_t> row;
  Array<O> offsets{0};
  Array<index_t> columns;
  Array<T> values;

  O nnz() const { return offsets.empty() ? 0 : offsets.back(); }
  std::size_t bytes() const { return view().bytes(); }
  DcsrView<T, O> view() const {
    return {rows,           cols,         static_cast<index_t>(row.size()),
            nnz(),          row.data(),   offsets.data(),
            columns.data(), values.data()};
  }

  // Throws BadInput naming the first row or entry that breaks the format.
  void validate() const;

  friend bool operator==(const Dcsr&, const Dcsr&) = default;
};

// The rows with entries, counted by all threads.
template <Value T, Offset O>
NZ_API index_t count_nonempty_rows(const CsrView<T, O>& a);

template <RealValue T, Offset O>
NZ_API Dcsr<T, O> dcsr_from_csr(const CsrView<T, O>& a);

template <RealValue T, Offset O>
NZ_API Csr<T, O> dcsr_to_csr(const DcsrView<T, O>& a);

}  // namespace nz
