#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Matrices with more rows or columns than index_t counts. They are for making a WidePlan of
// (nonzero/wide.hpp); all formats and kernels are of parts of them, which index_t does count.

// Entries in any order; those with the same row and column are summed in the order given.
template <RealValue T>
struct WideCooView {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  const std::int64_t* row_index = nullptr;
  const std::int64_t* col_index = nullptr;
  const T* values = nullptr;
};
static_assert(std::is_trivially_copyable_v<WideCooView<double>>);

template <RealValue T>
struct WideCoo {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Array<std::int64_t> row_index{};
  Array<std::int64_t> col_index{};
  Array<T> values{};

  std::int64_t nnz() const { return static_cast<std::int64_t>(values.size()); }
  std::size_t bytes() const {
    return (row_index.size() + col_index.size()) * sizeof(std::int64_t) + values.size() * sizeof(T);
  }
  WideCooView<T> view() const {
    return {rows, cols, nnz(), row_index.data(), col_index.data(), values.data()};
  }
  // Throws BadInput naming the first entry that is not in the matrix, and arrays that differ.
  void validate() const;

  friend bool operator==(const WideCoo&, const WideCoo&) = default;
};

// Compressed rows: one offset a row, whether it has entries or not.
template <RealValue T>
struct WideCsr {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Array<std::int64_t> offsets{0};
  Array<std::int64_t> columns{};
  Array<T> values{};

  std::int64_t nnz() const { return offsets.empty() ? 0 : offsets.back(); }
  std::size_t bytes() const {
    return (offsets.size() + columns.size()) * sizeof(std::int64_t) + values.size() * sizeof(T);
  }
  // Throws BadInput naming the first row or entry that is wrong. Columns need no order.
  void validate() const;

  friend bool operator==(const WideCsr&, const WideCsr&) = default;
};

// Throws as validate() does.
template <RealValue T>
NZ_API WideCoo<T> wide_coo_from_csr(const WideCsr<T>& a);

}  // namespace nz
