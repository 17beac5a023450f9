#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/fill.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// SELL-C-sigma (Kreutzer et al. 2014). Within windows of `sigma` rows, rows are sorted by falling
// length (rows of equal length stay in order); every `chunk` positions of that order form a slice,
// an ELL of its own, as wide as its longest row. sigma = 1 sorts nothing.
//   position p holds row permutation[p]; its slice is p / chunk, its lane p % chunk
//   a slice has chunk lanes; the last one has those that are left
//   slot s of lane l of slice q is at offsets[q] + s * lanes(q) + l
// Padding is as in ELL: after the row's entries, column -1 and value 0.
template <RealValue T, Offset O>
struct SellView {
  using value_type = T;
  using offset_type = O;
  index_t rows = 0;
  index_t cols = 0;
  index_t chunk = 1;
  index_t sigma = 1;
  std::int64_t nnz = 0;                  // without padding
  O slots = 0;                           // with padding
  const O* offsets = nullptr;            // slices + 1
  const index_t* permutation = nullptr;  // rows
  const index_t* columns = nullptr;      // slots
  const T* values = nullptr;             // slots

  constexpr index_t slices() const { return rows / chunk + (rows % chunk != 0); }
  constexpr index_t lanes(index_t slice) const {
    const index_t left = rows - slice * chunk;
    return left < chunk ? left : chunk;
  }
  constexpr index_t width(index_t slice) const {
    return static_cast<index_t>((offsets[slice + 1] - offsets[slice]) / lanes(slice));
  }
  // slots (value + index) + (slices + 1) offset + rows index
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(slots) * (sizeof(T) + sizeof(index_t)) +
           (static_cast<std::size_t>(slices()) + 1) * sizeof(O) +
           static_cast<std::size_t>(rows) * sizeof(index_t);
  }
};
static_assert(std::is_trivially_copyable_v<SellView<double, std::int64_t>>);

template <RealValue T, Offset O>
struct Sell {
  index_t rows = 0;
  index_t cols = 0;
  index_t chunk = 1;
  index_t sigma = 1;
  std::int64_t entries = 0;
  Array<O> offsets{0};
  Array<index_t> permutation;
  Array<index_t> columns;
  Array<T> values;

  std::int64_t nnz() const { return entries; }
  std::size_t bytes() const { return view().bytes(); }
  SellView<T, O> view() const {
    return {rows,           cols,
            chunk,          sigma,
            entries,        static_cast<O>(values.size()),
            offsets.data(), permutation.data(),
            columns.data(), values.data()};
  }

  // Slots that are padding, and slots a nonzero.
  std::int64_t fill() const { return static_cast<std::int64_t>(values.size()) - entries; }
  double fill_ratio() const {
    return slots_per_nonzero(static_cast<std::int64_t>(values.size()), entries);
  }

  // Throws BadInput naming the first row, slice or slot that breaks the format.
  void validate() const;

  friend bool operator==(const Sell&, const Sell&) = default;
};

// Throws InvalidArgument for chunk or sigma below 1, and Refused, before it allocates slots, when
// they are more than max_ratio a nonzero or more than O can count.
template <RealValue T, Offset O>
NZ_API Sell<T, O> sell_from_csr(const CsrView<T, O>& a, index_t chunk = 32, index_t sigma = 1024,
                                double max_ratio = default_max_ratio);

template <RealValue T, Offset O>
NZ_API Csr<T, O> sell_to_csr(const SellView<T, O>& a);

}  // namespace nz
