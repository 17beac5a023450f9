#include "plan/transposed.hpp"

#include "base/instantiate.hpp"
#include "kernels/gpu/device_csr.hpp"

namespace nz {

template <Value T, Offset O>
Transposed<T, O> transposed_on(Device device, const CsrView<T, O>& a) {
  const auto keep = [](Csr<T, O> t) {
    auto owner = std::make_shared<const Csr<T, O>>(std::move(t));
    return Transposed<T, O>{owner->view(), owner};
  };
  if (device == cpu_device) return keep(transpose(a));
  return keep(transpose(HostCsr<T, O>(device, a).view()));
}

#define NZ_INSTANTIATE(T, O) template Transposed<T, O> transposed_on(Device, const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
