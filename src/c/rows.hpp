#pragma once
#include <memory>
#include <span>

#include <nonzero/nonzero.h>

#include "c/handles.hpp"

// Matrices from arrays of a caller.
namespace nz::c {

// The caller's arrays as a view. Throws InvalidArgument for what can be said without reading them:
// a shape or a number of nonzeros below 0 or too large, arrays that are NULL.
template <Value T, Offset O>
CsrView<T, O> view_of(std::int32_t rows, std::int32_t cols, std::int64_t nonzeros, const O* offsets,
                      const index_t* columns, const T* values);

// The same in arrays of the library's: looked at, sorted and summed, with the narrowest offsets.
template <Value T, Offset O>
std::unique_ptr<nz_matrix> copied(const CsrView<T, O>& a);

// The transpose of that, likewise.
template <Value T, Offset O>
std::unique_ptr<nz_matrix> transposed(const CsrView<T, O>& a);

// Takes it over, with the narrowest offsets.
template <Value T, Offset O>
std::unique_ptr<nz_matrix> owned(Csr<T, O> a);

}  // namespace nz::c
