#pragma once
#include <nonzero/device.hpp>

#include "device/transposed_csr.hpp"

namespace nz {

// Of a matrix in host memory or in the device's; made by the device, and there, where it is a GPU.
template <Value T, Offset O>
TransposedCsr<T, O> transposed_on(Device device, const CsrView<T, O>& a);

}  // namespace nz
