#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Compressed sparse columns: column j holds entries offsets[j] to offsets[j+1], rows strictly
// increasing. The arrays are those of the transpose in CSR.
template <RealValue T, Offset O>
struct CscView {
  using value_type = T;
  using offset_type = O;
  index_t rows = 0;
  index_t cols = 0;
  O nnz = 0;
  const O* offsets = nullptr;    // cols + 1
  const index_t* row = nullptr;  // nnz
  const T* values = nullptr;     // nnz

  // izawa2023 equation 2.2 with columns in the place of rows.
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(nnz) * (sizeof(T) + sizeof(index_t)) +
           (static_cast<std::size_t>(cols) + 1) * sizeof(O);
  }
};
static_assert(std::is_trivially_copyable_v<CscView<double, std::int64_t>>);

template <RealValue T, Offset O>
struct Csc {
  index_t rows = 0;
  index_t cols = 0;
  Array<O> offsets{0};
  Array<index_t> row;
  Array<T> values;

  O nnz() const { return offsets.empty() ? 0 : offsets.back(); }
  std::size_t bytes() const { return view().bytes(); }
  CscView<T, O> view() const {
    return {rows, cols, nnz(), offsets.data(), row.data(), values.data()};
  }

  // Throws BadInput naming the first column or entry that breaks the format.
  void validate() const;

  friend bool operator==(const Csc&, const Csc&) = default;
};

template <RealValue T, Offset O>
NZ_API Csc<T, O> csc_from_csr(const CsrView<T, O>& a);

template <RealValue T, Offset O>
NZ_API Csr<T, O> csc_to_csr(const CscView<T, O>& a);

}  // namespace nz
