#include "gpu/device/transpose_there.hpp"

#include <nonzero/device.hpp>

#include "base/instantiate.hpp"
#include "device/transposed_csr.hpp"
#include "simt/simt.hpp"

namespace nz::NZ_HOME {

template <class T, class O>
Csr<T, O> transpose_there(const CsrView<T, O>& a) {
  const TransposedCsr<T, O> made = make_transposed(a);
  const CsrView<T, O>& v = made.view;
  const auto here = []<class V>(const V* from, std::size_t n) {
    Array<V> to(n);
    if (n > 0) detail::device_copy(current_device(), to.data(), from, n * sizeof(V), {});
    return to;
  };
  const auto n = static_cast<std::size_t>(v.nnz);
  return {v.rows, v.cols, here(v.offsets, static_cast<std::size_t>(v.rows) + 1), here(v.columns, n),
          here(v.values, n)};
}

#define NZ_INSTANTIATE(T, O) template Csr<T, O> transpose_there(const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
