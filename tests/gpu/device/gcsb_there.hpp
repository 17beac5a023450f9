#pragma once
#include <nonzero/formats/gcsb.hpp>

// Both homes of GCSB that is made of CSR on the current device, where `a` lies, and fetched.
#define NZ_GCSB_THERE                                                                  \
  template <class T, class O>                                                          \
  Gcsb<T, O> gcsb_there(const CsrView<T, O>& a, std::int64_t beta, index_t group_size, \
                        double max_ratio);
namespace nz::cuda {
NZ_GCSB_THERE
}
namespace nz::emulated {
NZ_GCSB_THERE
}
#undef NZ_GCSB_THERE
