#pragma once
#include <nonzero/device.hpp>
#include <nonzero/kernel.hpp>

namespace nz {

// Kernel::resolve() with what the kernel's fit says of the matrix, which lies in host memory or in
// the device's.
template <Value T, Offset O>
Parameters fitted(const Kernel& kernel, const Parameters& wanted, const CsrView<T, O>& a,
                  Device device = cpu_device);

}  // namespace nz
