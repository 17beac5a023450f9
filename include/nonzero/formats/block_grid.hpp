#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include <nonzero/export.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// What the CSB family of izawa2023 (chapter 3) shares: a matrix cut into square blocks of
// beta = 2^digits rows and columns, from its upper left corner. beta need not divide the shape.
// Blocks are numbered row by row. An entry's place in its block has the row in the upper bits and
// the column in the `digits` lower ones (the paper's comb_row_col_indices).
struct BlockGrid {
  index_t rows = 0;
  index_t cols = 0;
  int digits = 0;

  constexpr index_t beta() const { return index_t{1} << digits; }
  constexpr index_t block_rows() const { return lines_of(rows); }
  constexpr index_t block_cols() const { return lines_of(cols); }
  constexpr std::int64_t blocks() const { return std::int64_t{block_rows()} * block_cols(); }
  constexpr std::uint32_t place(std::uint32_t row, std::uint32_t column) const {
    return row << digits | column;
  }
  constexpr std::uint32_t row_in_block(std::uint32_t place) const { return place >> digits; }
  constexpr std::uint32_t column_in_block(std::uint32_t place) const {
    return place & ((std::uint32_t{1} << digits) - 1);
  }

  friend bool operator==(const BlockGrid&, const BlockGrid&) = default;

 private:
  constexpr index_t lines_of(index_t n) const { return (n >> digits) + ((n & (beta() - 1)) != 0); }
};

// A place has 30 bits at most, as the paper's int has room for, so no place is like this one. It
// marks padding, whose value is 0: a kernel must not multiply it, because x may be infinite or NaN
// wherever it would read.
inline constexpr index_t max_beta = 1 << 15;
inline constexpr std::uint32_t padding_place = 0xffffffff;

// Why beta cannot be the side of a block; empty when it can.
std::string beta_problem(std::int64_t beta);

// The elements of an L1 cache line of 128 bytes: beta is at most that by equation 3.3, the group
// size is that by equation 3.4, and the paper takes it for both (equation 4.1).
template <Value T>
inline constexpr index_t cache_line_elements = 128 / sizeof(T);

// The smallest power of two that is not below min(sqrt(rows), sqrt(cols)): with it there are no
// more blocks than the larger of rows and columns, and so CSB takes about the bytes of CSR
// (§2.2.4).
index_t root_beta(index_t rows, index_t cols);

// Most blocks a nonzero, row and column (together) that the family accepts: they all count, or
// look at, empty blocks too.
inline constexpr double max_blocks_ratio = 3;

}  // namespace nz
