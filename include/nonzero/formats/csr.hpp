#pragma once
#include <cstddef>
#include <span>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Compressed sparse rows (izawa2023 §2.2.2): row i holds entries offsets[i] to offsets[i+1],
// columns strictly increasing. Non-owning, for kernels.
template <Value T, Offset O>
struct CsrView {
  using value_type = T;
  using offset_type = O;
  index_t rows = 0;
  index_t cols = 0;
  O nnz = 0;  // offsets[rows] - offsets[0]; that one is 0, but for slices (Input in plan.hpp)
  const O* offsets = nullptr;        // rows + 1
  const index_t* columns = nullptr;  // nnz
  const T* values = nullptr;         // nnz

  // izawa2023 equation 2.2.
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(nnz) * (sizeof(T) + sizeof(index_t)) +
           (static_cast<std::size_t>(rows) + 1) * sizeof(O);
  }
};
static_assert(std::is_trivially_copyable_v<CsrView<double, std::int64_t>>);

// The owner, and the format all others convert from and to.
template <Value T, Offset O>
struct Csr {
  index_t rows = 0;
  index_t cols = 0;
  Array<O> offsets{0};
  Array<index_t> columns;
  Array<T> values;

  O nnz() const { return offsets.empty() ? 0 : offsets.back(); }
  std::size_t bytes() const { return view().bytes(); }
  CsrView<T, O> view() const {
    return {rows, cols, nnz(), offsets.data(), columns.data(), values.data()};
  }

  // Throws BadInput naming the first row or entry that breaks the format.
  void validate() const;

  friend bool operator==(const Csr&, const Csr&) = default;
};

template <Value T, Offset O>
NZ_API void validate(const CsrView<T, O>& a);

// Builds CSR from entries in any order; entries with the same row and column are summed in the
// order given (as SciPy does), explicit zeros stay. Throws BadInput for an index out of range,
// InvalidArgument for spans of different lengths, and Refused when O cannot count the entries.
template <Value T, Offset O>
NZ_API Csr<T, O> csr_from_triplets(index_t rows, index_t cols, std::span<const index_t> row,
                                   std::span<const index_t> column, std::span<const T> value);

// The same for arrays that are CSR already but for sorting and duplicates within rows.
template <Value T, Offset O>
NZ_API Csr<T, O> csr_from_arrays(index_t rows, index_t cols, std::span<const O> offsets,
                                 std::span<const index_t> columns, std::span<const T> values);

// Another value or offset type, complex values from real ones too; Refused when To cannot hold the
// number of nonzeros.
template <Value U, Offset P, Value T, Offset O>
NZ_API Csr<U, P> csr_cast(const CsrView<T, O>& a) requires(ComplexValue<U> || RealValue<T>);

// The same matrix with other offsets; columns and values move, nothing but offsets is copied.
template <Offset P, Value T, Offset O>
NZ_API Csr<T, P> csr_with_offsets(Csr<T, O>&& a);

template <Value T, Offset O>
NZ_API Csr<T, O> transpose(const CsrView<T, O>& a);

}  // namespace nz
