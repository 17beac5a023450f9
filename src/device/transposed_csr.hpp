#pragma once
#include <memory>

#include <nonzero/formats/csr.hpp>

// The door to the transpose on a device for those who are compiled for none: a function in each
// home that was built in.
namespace nz {

// The transpose of a matrix, and who owns its arrays.
template <Value T, Offset O>
struct TransposedCsr {
  CsrView<T, O> view{};
  std::shared_ptr<const void> owner{};
};

// Of CSR in the current device's memory, as CSR, made there: what nz::transpose makes on the host,
// bit for bit. Works on the default stream and waits for it. Needs 16 bytes and a value a nonzero
// for a while, beside what it keeps.
#define NZ_DECLARE_TRANSPOSED(home)                            \
  namespace home {                                             \
  template <Value T, Offset O>                                 \
  TransposedCsr<T, O> make_transposed(const CsrView<T, O>& a); \
  }
NZ_DECLARE_TRANSPOSED(cuda)
NZ_DECLARE_TRANSPOSED(emulated)
#undef NZ_DECLARE_TRANSPOSED

}  // namespace nz
