#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/fill.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Diagonals: each that has an entry is stored whole, one value a row. Diagonal d runs through
// column i + offsets[d] of row i, whose value is at d * rows + i; offsets are strictly increasing.
// What is no entry of the matrix, inside or beyond its edges, is zero.
template <RealValue T>
struct DiaView {
  using value_type = T;
  index_t rows = 0;
  index_t cols = 0;
  index_t diagonals = 0;
  std::int64_t nnz = 0;              // without fill
  const index_t* offsets = nullptr;  // diagonals; column - row
  const T* values = nullptr;         // diagonals * rows

  constexpr std::size_t slots() const {
    return static_cast<std::size_t>(diagonals) * static_cast<std::size_t>(rows);
  }
  // The rows of a diagonal that are inside the matrix: [first_row, last_row).
  constexpr index_t first_row(index_t d) const { return offsets[d] < 0 ? -offsets[d] : 0; }
  constexpr index_t last_row(index_t d) const {
    const std::int64_t end = static_cast<std::int64_t>(cols) - offsets[d];
    return end < rows ? static_cast<index_t>(end) : rows;
  }
  // diagonals (rows value + index)
  constexpr std::size_t bytes() const {
    return slots() * sizeof(T) + static_cast<std::size_t>(diagonals) * sizeof(index_t);
  }
};
static_assert(std::is_trivially_copyable_v<DiaView<double>>);

template <RealValue T>
struct Dia {
  index_t rows = 0;
  index_t cols = 0;
  std::int64_t entries = 0;
  Array<index_t> offsets;
  Array<T> values;

  std::int64_t nnz() const { return entries; }
  std::size_t bytes() const { return view().bytes(); }
  DiaView<T> view() const {
    return {rows,    cols,           static_cast<index_t>(offsets.size()),
            entries, offsets.data(), values.data()};
  }

  // Stored values that are no entries of the matrix, and stored values a nonzero.
  std::int64_t fill() const { return static_cast<std::int64_t>(values.size()) - entries; }
  double fill_ratio() const {
    return slots_per_nonzero(static_cast<std::int64_t>(values.size()), entries);
  }

  // Throws BadInput naming the first diagonal or row that breaks the format.
  void validate() const;

  friend bool operator==(const Dia&, const Dia&) = default;
};

// Throws Refused, before it allocates diagonals, when they hold more than max_ratio values a
// nonzero or are more than 2^31 - 1.
template <RealValue T, Offset O>
NZ_API Dia<T> dia_from_csr(const CsrView<T, O>& a, double max_ratio = default_max_ratio);

// Gives the matrix back, but for explicit zeros: see Fill.
template <Offset O, RealValue T>
NZ_API Csr<T, O> dia_to_csr(const DiaView<T>& a, Fill fill = Fill::drop);

}  // namespace nz
