#pragma once
#include <span>

#include <nonzero/formats/csr.hpp>

namespace nz {

// Entries as they come: any order, duplicates allowed, indices already checked against the shape.
template <Value T>
struct TripletChunk {
  std::span<const index_t> row;
  std::span<const index_t> column;
  std::span<const T> value;
};

// Whether each off-diagonal entry (i, j, v) also stands for (j, i, v) or (j, i, -v).
enum class Mirror { none, symmetric, skew };

// Sorted CSR of all chunks together; duplicates are summed in the order of the chunks.
template <Value T, Offset O>
Csr<T, O> assemble_csr(index_t rows, index_t cols, std::span<const TripletChunk<T>> chunks,
                       Mirror mirror = Mirror::none);

// Sorts each row of a CSR-like matrix by column and sums duplicates, in place.
template <Value T, Offset O>
void sort_rows_and_sum(Csr<T, O>& a);

// Throws Refused when O cannot count n entries.
template <Offset O>
void require_countable(std::int64_t n, const char* what);

}  // namespace nz
