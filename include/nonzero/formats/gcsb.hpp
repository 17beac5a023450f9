#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/block_grid.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/fill.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Grouped compressed sparse blocks (izawa2023 §3.3): blocks in descending order of their entries,
// those with as many in the order of their numbers (block swizzle), empty ones too. Each
// `group_size` of them are a group. Its slots hold the first entry of every block, then the second
// of every block, and so on, in Morton order, so that threads that take a block each read
// neighbouring slots. A block's slots after its last entry are padding (padding_place, value 0),
// and so are those of the blocks that the last group lacks.
// Slot s of the i-th block is at offsets[i / group_size] + s * group_size + i % group_size. (The
// paper's figure 3.5 counts group_offset in slots, as here; its kernels count in rows of a group.)
template <RealValue T, Offset O>
struct GcsbView : BlockGrid {
  using value_type = T;
  using offset_type = O;
  index_t group_size = 1;
  O nnz = 0;                              // without padding
  O slots = 0;                            // with padding
  const O* offsets = nullptr;             // groups() + 1: group_offset
  const index_t* numbers = nullptr;       // blocks(), of each where it was: block_indices
  const std::uint32_t* places = nullptr;  // slots: comb_row_col_indices
  const T* values = nullptr;              // slots

  constexpr std::int64_t groups() const { return (blocks() + group_size - 1) / group_size; }
  // What equation 3.5 leaves once the small arrays are neglected.
  constexpr std::size_t slot_bytes() const { return bytes_of(slots); }
  constexpr std::size_t bytes() const { return slot_bytes() + block_bytes(); }
  // izawa2023 equation 3.2.
  constexpr std::size_t bytes_without_padding() const { return bytes_of(nnz) + block_bytes(); }

 private:
  constexpr std::size_t bytes_of(O n) const {
    return static_cast<std::size_t>(n) * (sizeof(T) + sizeof(std::uint32_t));
  }
  constexpr std::size_t block_bytes() const {
    return static_cast<std::size_t>(blocks()) * sizeof(index_t) +
           (static_cast<std::size_t>(groups()) + 1) * sizeof(O);
  }
};
static_assert(std::is_trivially_copyable_v<GcsbView<double, std::int64_t>>);

template <RealValue T, Offset O>
struct Gcsb : BlockGrid {
  index_t group_size = 1;
  O entries = 0;
  Array<O> offsets{0};
  Array<index_t> numbers;
  Array<std::uint32_t> places;
  Array<T> values;

  O nnz() const { return entries; }
  std::size_t bytes() const { return view().bytes(); }
  GcsbView<T, O> view() const {
    return {*this,          group_size,     entries,       static_cast<O>(values.size()),
            offsets.data(), numbers.data(), places.data(), values.data()};
  }

  // Slots that are padding, and slots a nonzero.
  std::int64_t fill() const { return static_cast<std::int64_t>(values.size()) - entries; }
  double fill_ratio() const {
    return slots_per_nonzero(static_cast<std::int64_t>(values.size()), entries);
  }

  // Throws BadInput naming the first group, block or entry that breaks the format.
  void validate() const;

  friend bool operator==(const Gcsb&, const Gcsb&) = default;
};

// Throws InvalidArgument for a beta that beta_problem() names and a group size below 1. Throws
// Refused, before it allocates, for more than max_ratio blocks for each nonzero, row and column,
// and for more than max_ratio slots a nonzero.
template <RealValue T, Offset O>
NZ_API Gcsb<T, O> gcsb_from_csr(const CsrView<T, O>& a, std::int64_t beta = cache_line_elements<T>,
                                index_t group_size = cache_line_elements<T>,
                                double max_ratio = max_blocks_ratio);

template <RealValue T, Offset O>
NZ_API Csr<T, O> gcsb_to_csr(const GcsbView<T, O>& a);

}  // namespace nz
