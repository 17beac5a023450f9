#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Compressed sparse blocks (izawa2023 §2.2.4, after Buluç et al. 2009): the matrix is cut into a
// grid of square blocks from its upper left corner, and rows and columns are treated alike, so that
// A and its transpose cost the same. The block in line I and column J of the grid holds entries
// offsets[b] to offsets[b+1] with b = I * grid_cols() + J, in Morton order: upper left quadrant,
// upper right, lower left, lower right, and so on inside each. So within a row columns increase,
// and within a column rows do. An entry's place in its block is row << 16 | column, 16 bits each.
template <RealValue T, Offset O>
struct CsbView {
  using value_type = T;
  using offset_type = O;
  index_t rows = 0;
  index_t cols = 0;
  int block_bits = 0;  // blocks of 2^block_bits rows and columns, 0 to 16
  O nnz = 0;
  const O* offsets = nullptr;             // blocks() + 1
  const std::uint32_t* places = nullptr;  // nnz
  const T* values = nullptr;              // nnz

  constexpr index_t block() const { return index_t{1} << block_bits; }
  constexpr index_t grid_rows() const { return lines_of(rows); }
  constexpr index_t grid_cols() const { return lines_of(cols); }
  constexpr std::size_t blocks() const {
    return static_cast<std::size_t>(grid_rows()) * static_cast<std::size_t>(grid_cols());
  }
  // Where the block's entries begin; those of the next block along the line follow.
  constexpr const O* block_offset(index_t grid_row, index_t grid_col) const {
    return offsets + static_cast<std::size_t>(grid_row) * static_cast<std::size_t>(grid_cols()) +
           static_cast<std::size_t>(grid_col);
  }
  // izawa2023 equation 2.6.
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(nnz) * (sizeof(T) + sizeof(std::uint32_t)) +
           (blocks() + 1) * sizeof(O);
  }

 private:
  constexpr index_t lines_of(index_t n) const {
    return (n >> block_bits) + ((n & (block() - 1)) != 0);
  }
};
static_assert(std::is_trivially_copyable_v<CsbView<double, std::int64_t>>);

constexpr std::uint32_t csb_row(std::uint32_t place) { return place >> 16; }
constexpr std::uint32_t csb_column(std::uint32_t place) { return place & 0xffff; }

template <RealValue T, Offset O>
struct Csb {
  index_t rows = 0;
  index_t cols = 0;
  int block_bits = 0;
  Array<O> offsets{0};
  Array<std::uint32_t> places;
  Array<T> values;

  O nnz() const { return offsets.empty() ? 0 : offsets.back(); }
  std::size_t bytes() const { return view().bytes(); }
  CsbView<T, O> view() const {
    return {rows, cols, block_bits, nnz(), offsets.data(), places.data(), values.data()};
  }

  // Throws BadInput naming the first block or entry that breaks the format.
  void validate() const;

  friend bool operator==(const Csb&, const Csb&) = default;
};

// The largest block_bits: 16 bits for each half of a place.
inline constexpr int csb_max_block_bits = 16;

// Blocks of about 8 times the square root of the larger dimension, at the upper end of what Buluç
// et al. advise: far fewer blocks than rows, and yet enough lines of them for many threads.
int csb_block_bits(index_t rows, index_t cols);

// Most blocks a nonzero, row and column (together) that csb_from_csr accepts.
inline constexpr double csb_max_ratio = 3;

// block_bits = 0 leaves the size to csb_block_bits(). Throws InvalidArgument for one below 0 or
// above 16, and Refused, before it allocates, for a grid with more than max_ratio blocks for each
// nonzero, row and column.
template <RealValue T, Offset O>
NZ_API Csb<T, O> csb_from_csr(const CsrView<T, O>& a, int block_bits = 0,
                              double max_ratio = csb_max_ratio);

template <RealValue T, Offset O>
NZ_API Csr<T, O> csb_to_csr(const CsbView<T, O>& a);

}  // namespace nz
