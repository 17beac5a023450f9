#pragma once
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nonzero/types.hpp>

#include "base/parallel.hpp"

// What the formats' validate() functions share. Each throws BadInput naming the format and the
// first offending place, unless it says otherwise.
namespace nz {

// check(i) for every i of [0, n), in parallel; returns the sum of what the calls return. When
// several throw, the exception of the smallest i is rethrown: threads take ascending ranges and
// each stops at its first.
template <class I, class Check>
std::int64_t check_each(I n, Check&& check, std::type_identity_t<I> grain = 1 << 14) {
  struct Part {
    std::int64_t sum = 0;
    std::exception_ptr failure;
  };
  std::vector<Part> parts(static_cast<std::size_t>(n < grain ? 1 : threads()));
  parallel(static_cast<int>(parts.size()), [&](int thread, int count) {
    const auto [begin, end] = part_of(n, thread, count);
    Part mine;
    try {
      for (I i = begin; i < end; ++i) {
        if constexpr (std::is_void_v<decltype(check(i))>)
          check(i);
        else
          mine.sum += check(i);
      }
    } catch (...) {
      mine.failure = std::current_exception();
    }
    parts[static_cast<std::size_t>(thread)] = std::move(mine);
  });
  std::int64_t sum = 0;
  for (const Part& part : parts) {
    if (part.failure) std::rethrow_exception(part.failure);
    sum += part.sum;
  }
  return sum;
}

void check_shape(const char* format, index_t rows, index_t cols);
void check_size(const char* format, const char* array, std::size_t have, std::size_t need);

// offsets[0] = 0, never decreasing, offsets[lines] = total. `line` is "row", "column", "slice", ...
template <Offset O>
void check_offsets(const char* format, const char* line, const O* offsets, index_t lines,
                   std::int64_t total);
// The same for lines that are blocks, of which there may be more.
template <Offset O>
void check_long_offsets(const char* format, const char* line, const O* offsets, std::int64_t lines,
                        std::int64_t total);

// Every index in [0, limit).
template <Offset O>
void check_column_range(const char* format, const char* line, const O* offsets,
                        const index_t* columns, index_t lines, index_t limit);

// The same, and strictly increasing within each line.
template <Offset O>
void check_columns(const char* format, const char* line, const O* offsets, const index_t* columns,
                   index_t lines, index_t limit);

void check_indices(const char* format, index_t rows, index_t cols, std::span<const index_t> row,
                   std::span<const index_t> column);
inline void check_triplet_indices(index_t rows, index_t cols, std::span<const index_t> row,
                                  std::span<const index_t> column) {
  check_indices("triplets", rows, cols, row, column);
}

// The stored entry count of a format with fill: its slots hold `found` entries for certain (at
// least; exactly when fill can be told from entries).
void check_entries(const char* format, std::int64_t entries, std::int64_t found,
                   std::int64_t slots);
void check_entries(const char* format, std::int64_t entries, std::int64_t found);

// InvalidArgument unless value >= 1.
void require_positive(const char* format, const char* what, index_t value);

// count * size slots for nnz nonzeros. Refused when they are more than max_ratio a nonzero, or more
// than memory can ever hold; `detail` says in the message where they come from.
std::size_t require_ratio(const char* format, std::int64_t count, std::int64_t size,
                          std::int64_t nnz, double max_ratio, const std::string& detail);
// The same for the blocks of BSR.
std::size_t require_block_ratio(std::int64_t blocks, index_t block_rows, index_t block_cols,
                                std::int64_t nnz, double max_ratio);

}  // namespace nz
