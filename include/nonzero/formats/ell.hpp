#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/fill.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// ELLPACK (izawa2023 §2.2.3): every row has `width` slots, its entries first, columns strictly
// increasing, then padding. A padding slot has column -1 and value 0; a kernel must not multiply
// it, because x may be infinite or NaN wherever it would read.
// Slot s of row i is at s * rows + i: neighbouring rows are neighbours in memory, which is what
// threads that take one row each need. (Figure 2.3 of the paper shows the slots row by row; the
// arrays are as long either way.)
template <RealValue T>
struct EllView {
  using value_type = T;
  index_t rows = 0;
  index_t cols = 0;
  index_t width = 0;
  std::int64_t nnz = 0;              // without padding
  const index_t* columns = nullptr;  // rows * width
  const T* values = nullptr;         // rows * width

  constexpr std::size_t slots() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
  }
  constexpr std::size_t slot(index_t i, index_t s) const {
    return static_cast<std::size_t>(s) * static_cast<std::size_t>(rows) +
           static_cast<std::size_t>(i);
  }
  // izawa2023 equation 2.3.
  constexpr std::size_t bytes() const { return slots() * (sizeof(T) + sizeof(index_t)); }
};
static_assert(std::is_trivially_copyable_v<EllView<double>>);

template <RealValue T>
struct Ell {
  index_t rows = 0;
  index_t cols = 0;
  index_t width = 0;
  std::int64_t entries = 0;
  Array<index_t> columns;
  Array<T> values;

  std::int64_t nnz() const { return entries; }
  std::size_t bytes() const { return view().bytes(); }
  EllView<T> view() const { return {rows, cols, width, entries, columns.data(), values.data()}; }

  // Slots that are padding, and slots a nonzero.
  std::int64_t fill() const { return static_cast<std::int64_t>(values.size()) - entries; }
  double fill_ratio() const {
    return slots_per_nonzero(static_cast<std::int64_t>(values.size()), entries);
  }

  // Throws BadInput naming the first row and slot that break the format.
  void validate() const;

  friend bool operator==(const Ell&, const Ell&) = default;
};

// As wide as the longest row. Throws Refused, before it allocates, when that takes more than
// max_ratio slots a nonzero.
template <RealValue T, Offset O>
NZ_API Ell<T> ell_from_csr(const CsrView<T, O>& a, double max_ratio = default_max_ratio);

template <Offset O, RealValue T>
NZ_API Csr<T, O> ell_to_csr(const EllView<T>& a);

}  // namespace nz
