#include "device/transposed_csr.hpp"

#include "base/instantiate.hpp"
#include "device/transpose.hpp"

namespace nz::NZ_HOME {

template <Value T, Offset O>
TransposedCsr<T, O> make_transposed(const CsrView<T, O>& a) {
  const auto owner = std::make_shared<const DeviceTransposed<T, O>>(a);
  return {owner->view(), owner};
}

#define NZ_INSTANTIATE(T, O) template TransposedCsr<T, O> make_transposed(const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
