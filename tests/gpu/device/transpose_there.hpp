#pragma once
#include <nonzero/formats/csr.hpp>

// Both homes of the transpose of CSR that lies on the current device, made there, and fetched.
#define NZ_TRANSPOSE_THERE    \
  template <class T, class O> \
  Csr<T, O> transpose_there(const CsrView<T, O>& a);
namespace nz::cuda {
NZ_TRANSPOSE_THERE
}
namespace nz::emulated {
NZ_TRANSPOSE_THERE
}
#undef NZ_TRANSPOSE_THERE
