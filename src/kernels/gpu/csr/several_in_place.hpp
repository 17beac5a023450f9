#pragma once
#include <nonzero/formats/csr.hpp>

#include "kernels/gpu/parts/long_rows.hpp"
#include "kernels/gpu/several/vectors.hpp"
#include "kernels/wide_rows.hpp"

// CSR times several vectors whose rows are long, read in place: see several_in_place.cpp. X has
// rows of whole packs of 16 bytes, Y likewise.
namespace nz::NZ_HOME {

template <class T>
inline constexpr int wide_pack = 16 / int(sizeof(T));

// Whether the rows of X and Y are so many bytes at least, and lie as it takes.
template <class T>
bool wide_rows(const Several<const T>& x, const Several<T>& y, int least = least_wide_row) {
  return x.columns * static_cast<std::int64_t>(sizeof(T)) >= least && has_packs(x, wide_pack<T>) &&
         has_packs(y, wide_pack<T>);
}

// Short rows: a group of lanes takes a run of them. Those of more than `most` entries are in
// pieces.
template <class T, class O>
void csr_several_runs(CUstream_st* stream, const CsrView<T, O>& a, const LongRows<T>& long_rows,
                      int most, const Several<const T>& x, const SeveralOutput<T>& out,
                      const simt::Scratch& scratch);

// Longer rows: a warp each.
template <class T, class O>
void csr_several_warps(CUstream_st* stream, const CsrView<T, O>& a, const LongRows<T>& long_rows,
                       int most, const Several<const T>& x, const SeveralOutput<T>& out,
                       const simt::Scratch& scratch);

}  // namespace nz::NZ_HOME
