#pragma once
#include <nonzero/formats/bsr.hpp>

// Both homes of what makes BSR of CSR on the current device, where `a` lies; and fetches it.
#define NZ_BSR_THERE                                                                  \
  template <class T, class O>                                                         \
  Bsr<T, O> bsr_there(const CsrView<T, O>& a, index_t block_rows, index_t block_cols, \
                      double max_ratio);
namespace nz::cuda {
NZ_BSR_THERE
}
namespace nz::emulated {
NZ_BSR_THERE
}
#undef NZ_BSR_THERE
