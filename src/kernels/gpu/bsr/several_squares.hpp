#pragma once
#include <nonzero/formats/bsr.hpp>

#include "kernels/bsr_squares.hpp"
#include "kernels/gpu/several/vectors.hpp"

namespace nz::NZ_HOME {

// Whether blocks and vectors are what bsr_several_squares() takes: squares of a side that it is
// compiled for, and rows of X of whole packs of 16 bytes.
template <class T, class O>
bool takes_squares(const BsrView<T, O>& a, const Several<const T>& x) {
  constexpr int pack = 16 / int(sizeof(T));
  return a.block_rows == a.block_cols && has_squares_kernel(a.block_rows) &&
         x.columns >= least_packs_for_squares * pack && has_packs(x, pack);
}

// Square blocks times several vectors (several_squares.cpp).
template <class T, class O>
void bsr_several_squares(CUstream_st* stream, const BsrView<T, O>& a, const Several<const T>& x,
                         const SeveralOutput<T>& out);

}  // namespace nz::NZ_HOME
