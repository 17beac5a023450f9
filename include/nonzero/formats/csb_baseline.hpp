#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/block_grid.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// CSB-baseline (izawa2023 §3.2.1): CSB as the paper redefines it for GPUs, with small blocks, one a
// thread, and places as narrow as beta. Block b holds entries offsets[b] to offsets[b+1] in Morton
// order. The format for CPUs, after Buluç et al., is in csb.hpp.
template <RealValue T, Offset O>
struct CsbBaselineView : BlockGrid {
  using value_type = T;
  using offset_type = O;
  O nnz = 0;
  const O* offsets = nullptr;             // blocks() + 1: block_offset
  const std::uint32_t* places = nullptr;  // nnz: comb_row_col_indices
  const T* values = nullptr;              // nnz

  // izawa2023 equation 3.1.
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(nnz) * (sizeof(T) + sizeof(std::uint32_t)) +
           (static_cast<std::size_t>(blocks()) + 1) * sizeof(O);
  }
};
static_assert(std::is_trivially_copyable_v<CsbBaselineView<double, std::int64_t>>);

template <RealValue T, Offset O>
struct CsbBaseline : BlockGrid {
  Array<O> offsets{0};
  Array<std::uint32_t> places;
  Array<T> values;

  O nnz() const { return offsets.empty() ? 0 : offsets.back(); }
  std::size_t bytes() const { return view().bytes(); }
  CsbBaselineView<T, O> view() const {
    return {*this, nnz(), offsets.data(), places.data(), values.data()};
  }

  // Throws BadInput naming the first block or entry that breaks the format.
  void validate() const;

  friend bool operator==(const CsbBaseline&, const CsbBaseline&) = default;
};

// Throws InvalidArgument for a beta that beta_problem() names, and Refused, before it allocates,
// for more than max_ratio blocks for each nonzero, row and column.
template <RealValue T, Offset O>
NZ_API CsbBaseline<T, O> csb_baseline_from_csr(const CsrView<T, O>& a,
                                               std::int64_t beta = cache_line_elements<T>,
                                               double max_ratio = max_blocks_ratio);

template <RealValue T, Offset O>
NZ_API Csr<T, O> csb_baseline_to_csr(const CsbBaselineView<T, O>& a);

}  // namespace nz
