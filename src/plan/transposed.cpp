#include "plan/transposed.hpp"

#include "base/instantiate.hpp"
#include "device/csr.hpp"

namespace nz {
namespace {

template <Value T, Offset O>
TransposedCsr<T, O> transposed_there(Device device, const CsrView<T, O>& a) {
  const DeviceCsr<T, O> there(device, a);
  const simt::DeviceScope scope(device);
#ifdef NZ_HAVE_EMULATOR
  if (device.kind == Device::Kind::emulator) return emulated::make_transposed(there.view());
#endif
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda) return cuda::make_transposed(there.view());
#endif
  throw NoResource("no transposition on " + device.name());
}

}  // namespace

template <Value T, Offset O>
TransposedCsr<T, O> transposed_on(Device device, const CsrView<T, O>& a) {
  if (device == cpu_device) {
    const auto owner = std::make_shared<const Csr<T, O>>(transpose(a));
    return {owner->view(), owner};
  }
  if constexpr (sizeof(T) > 8) {  // more than the device sorts with a key: the host does it
    const HostCsr<T, O> here(device, a);
    const auto owner = std::make_shared<const Csr<T, O>>(transpose(here.view()));
    return {owner->view(), owner};
  } else {
    return transposed_there(device, a);
  }
}

#define NZ_INSTANTIATE(T, O) \
  template TransposedCsr<T, O> transposed_on(Device, const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
