#pragma once
#include <algorithm>
#include <limits>

#include <nonzero/formats/csr.hpp>

#include "kernels/gpu/parts/long_rows.hpp"
#include "kernels/gpu/several/vectors.hpp"
#include "kernels/wide_rows.hpp"

// CSR times several vectors whose rows are long, read in place: no tile, no barrier. Lanes side by
// side stand for a row of X, 16 bytes each. What an entry brings is then so much that all that
// counts is how many rows of X are on their way: every batch loads several of them before it uses
// the first, without a condition, because the compiler would put products between loads that have
// some. Places behind the last entry load once more what that one has, and drop it. The number of
// lanes is known when this is compiled: registers that say it would be spilled.
//
// X has rows of whole packs of 16 bytes, Y any rows.
namespace nz::NZ_HOME {

template <class T>
inline constexpr int wide_pack = 16 / int(sizeof(T));

// Whether X and Y lie as it takes.
template <class T>
bool rows_in_place(const Several<const T>& x, const Several<T>& y) {
  return has_packs(x, wide_pack<T>) && y.column == 1;
}

// Whether rows are about as long as each other, and so many that a warp each keeps the device busy:
// to cut them would bring nothing, and warps at other places of X share less of it.
template <class T, class O>
bool rows_are_alike(const CsrView<T, O>& a, const LongRows<T>& long_rows) {
  const double mean = static_cast<double>(a.nnz) / std::max(1, a.rows);
  return long_rows.longest() <= 2 * mean && long_rows.longest() < std::numeric_limits<int>::max() &&
         a.rows >= 4 * simt::backend(current_device()).info().processors;
}

// Rows that are not apart in pieces have at most `most` entries.
//
// Short rows: a group of lanes takes a run of them (several_runs.cpp).
template <class T, class O>
void csr_several_runs(CUstream_st* stream, const CsrView<T, O>& a, const LongRows<T>& long_rows,
                      int most, const Several<const T>& x, const SeveralOutput<T>& out,
                      const simt::Scratch& scratch);

// Longer rows: a warp each (several_warps.cpp). Where all are about as long as each other, none is
// cut, whatever `most` is.
template <class T, class O>
void csr_several_warps(CUstream_st* stream, const CsrView<T, O>& a, const LongRows<T>& long_rows,
                       int most, const Several<const T>& x, const SeveralOutput<T>& out,
                       const simt::Scratch& scratch);

}  // namespace nz::NZ_HOME
