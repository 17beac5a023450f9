#pragma once
#include <cstddef>
#include <span>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Coordinates (izawa2023 §2.2.1): one (row, column, value) an entry, sorted by row, then column.
template <Value T>
struct CooView {
  using value_type = T;
  index_t rows = 0;
  index_t cols = 0;
  std::int64_t nnz = 0;
  const index_t* row = nullptr;
  const index_t* column = nullptr;
  const T* values = nullptr;

  // izawa2023 equation 2.1.
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(nnz) * (sizeof(T) + 2 * sizeof(index_t));
  }
};
static_assert(std::is_trivially_copyable_v<CooView<double>>);

template <Value T>
struct Coo {
  index_t rows = 0;
  index_t cols = 0;
  Array<index_t> row;
  Array<index_t> column;
  Array<T> values;

  std::int64_t nnz() const { return static_cast<std::int64_t>(values.size()); }
  std::size_t bytes() const { return view().bytes(); }
  CooView<T> view() const { return {rows, cols, nnz(), row.data(), column.data(), values.data()}; }

  // Throws BadInput naming the first entry that breaks the format.
  void validate() const;

  friend bool operator==(const Coo&, const Coo&) = default;
};

template <Value T, Offset O>
NZ_API Coo<T> coo_from_csr(const CsrView<T, O>& a);

template <Offset O, Value T>
NZ_API Csr<T, O> coo_to_csr(const CooView<T>& a);

// Entries in any order; duplicates are summed in the order given, as csr_from_triplets does.
template <Value T>
NZ_API Coo<T> coo_from_triplets(index_t rows, index_t cols, std::span<const index_t> row,
                                std::span<const index_t> column, std::span<const T> value);

}  // namespace nz
