#pragma once
#include "kernels/gpu/csr/balanced_work.hpp"
#include "kernels/gpu/parts/long_rows.hpp"
#include "kernels/gpu/several/vectors.hpp"

namespace nz::NZ_HOME {

// Y = alpha A X + beta Y where both are columns, as they lie, by the tiles of csr/balanced.cpp
// (several_columns.cpp). `lanes` take a row, a power of 2; 0: by the matrix.
template <class T, class O>
void csr_several_columns(CUstream_st* stream, const CsrBalancedWork<T, O>& work,
                         const LongRows<T>& long_rows, int tiles, int threads, int items, int lanes,
                         const Several<const T>& x, const SeveralOutput<T>& out,
                         const simt::Scratch& scratch);

}  // namespace nz::NZ_HOME
