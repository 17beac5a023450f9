#pragma once
#include <nonzero/formats/bsr.hpp>

#include "kernels/bsr_columns.hpp"

// Both homes of what is made of CSR on the current device, where `a` lies, and fetched: BSR, and
// the order of its blocks by column.
#define NZ_BSR_THERE                                                                  \
  template <class T, class O>                                                         \
  Bsr<T, O> bsr_there(const CsrView<T, O>& a, index_t block_rows, index_t block_cols, \
                      double max_ratio);                                              \
  template <class O>                                                                  \
  BlockColumns<O> columns_there(const CsrView<double, O>& a, index_t block_rows,      \
                                index_t block_cols);
namespace nz::cuda {
NZ_BSR_THERE
}
namespace nz::emulated {
NZ_BSR_THERE
}
#undef NZ_BSR_THERE
