#pragma once
#include <cstddef>
#include <span>

#include <nonzero/types.hpp>

// What the formats' validate() functions share. Each throws BadInput naming the format and the
// first offending place.
namespace nz {

void check_shape(const char* format, index_t rows, index_t cols);
void check_size(const char* format, const char* array, std::size_t have, std::size_t need);

// offsets[0] = 0, never decreasing, offsets[lines] = total. `line` is "row", "column", "slice", ...
template <Offset O>
void check_offsets(const char* format, const char* line, const O* offsets, index_t lines, O total);

// Every index in [0, limit).
template <Offset O>
void check_column_range(const char* format, const char* line, const O* offsets,
                        const index_t* columns, index_t lines, index_t limit);

// The same, and strictly increasing within each line.
template <Offset O>
void check_columns(const char* format, const char* line, const O* offsets, const index_t* columns,
                   index_t lines, index_t limit);

void check_triplet_indices(index_t rows, index_t cols, std::span<const index_t> row,
                           std::span<const index_t> column);

}  // namespace nz
