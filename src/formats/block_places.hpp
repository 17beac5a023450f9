#pragma once
#include <algorithm>
#include <cstdint>

#include <nonzero/formats/block_grid.hpp>
#include <nonzero/formats/csb.hpp>

#include "formats/morton.hpp"

// How the CSB family of izawa2023 is made: through CSB, whose blocks and their order are the same.
namespace nz {

// csb_from_csr with blocks of 2^bits, 0 to 16; `format` speaks in its messages.
template <Value T, Offset O>
Csb<T, O> csb_of_bits(const char* format, const CsrView<T, O>& a, int bits, double max_ratio);

// log2(beta); InvalidArgument with the limit for one that is not fit.
int digits_of(const char* format, std::int64_t beta);

// Refused when the blocks are more than max_ratio for each nonzero, row and column.
void require_blocks(const char* format, const BlockGrid& g, std::int64_t nnz, double max_ratio);

// What GCSB asks of its parameters, and of the slots that `depth` rows of groups take, wherever it
// is made: the grid, and the number of slots.
BlockGrid gcsb_grid(index_t rows, index_t cols, std::int64_t nnz, std::int64_t beta,
                    index_t group_size, double max_ratio);
template <Offset O>
std::size_t gcsb_slots(std::int64_t depth, index_t group_size, std::int64_t nnz, double max_ratio);

// BadInput for digits that no beta has, or a negative shape.
void check_grid(const char* format, const BlockGrid& g);

// BadInput unless the place of entry k lies in the block and in the matrix.
void check_place(const char* format, const BlockGrid& g, std::int64_t block, std::int64_t k,
                 std::uint32_t place);
[[noreturn]] void not_in_morton_order(const char* format, std::int64_t block, std::int64_t k);

// Between places of 16 bits a half, as CSB has them, and those of the grid.
constexpr std::uint32_t grid_place(const BlockGrid& g, std::uint32_t csb) {
  return g.place(csb_row(csb), csb_column(csb));
}
constexpr std::uint32_t csb_place(const BlockGrid& g, std::uint32_t place) {
  return g.row_in_block(place) << 16 | g.column_in_block(place);
}
constexpr std::uint32_t morton_in(const BlockGrid& g, std::uint32_t place) {
  return morton_of_place(csb_place(g, place));
}

}  // namespace nz
