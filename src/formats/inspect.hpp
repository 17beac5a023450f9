#pragma once
#include <cstdint>

#include <nonzero/formats/csr.hpp>

// The look at arrays that come from a caller: any bits may be in them.
namespace nz {

// How the arrays lie, once they are known to be a CSR matrix.
struct CsrOrder {
  bool from_zero = true;  // offsets[0] = 0; otherwise it is a slice, rows of a larger matrix
  bool rising = true;     // columns rise strictly in every row: sorted, no duplicates
};

// What can be said without reading the arrays: shape, number of nonzeros, arrays that are missing.
// Throws InvalidArgument.
template <Value T, Offset O>
void check_view(const CsrView<T, O>& a);

// Looks at a matrix in host memory, once, with all threads(); check_view() is part of it. The
// offsets are known to be right before a column is read, so that nothing is read that the view does
// not have. Throws InvalidArgument with the first place that is wrong.
template <Value T, Offset O>
CsrOrder inspect(const CsrView<T, O>& a);

// The same of an owner, whose arrays have lengths of their own and begin with offset 0. Rows that
// do not rise are sorted and summed in place. Throws InvalidArgument.
template <Value T, Offset O>
CsrOrder settle(Csr<T, O>& a);

// How the places are named, for those who look elsewhere. All throw InvalidArgument.
// offsets[i] and offsets[i + 1].
[[noreturn]] void throw_bad_offset(std::int64_t i, std::int64_t now, std::int64_t next);
// Throws nothing where they are right.
void check_ends(std::int64_t rows, std::int64_t first, std::int64_t last, std::int64_t nnz);
[[noreturn]] void throw_bad_column(std::int64_t row, std::int64_t entry, index_t column,
                                   index_t cols);

}  // namespace nz
