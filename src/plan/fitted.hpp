#pragma once
#include <nonzero/device.hpp>
#include <nonzero/formats/blocks.hpp>
#include <nonzero/kernel.hpp>

namespace nz {

// Kernel::resolve() with what the kernel's fit says of the matrix, which lies in host memory or in
// the device's.
template <Value T, Offset O>
Parameters fitted(const Kernel& kernel, const Parameters& wanted, const CsrView<T, O>& a,
                  Device device = cpu_device);

// detect_blocks() of a matrix that lies in host memory or in the device's: of the latter, only what
// is looked at is fetched.
template <Value T, Offset O>
BlockVerdict detect_blocks_on(Device device, const CsrView<T, O>& a);

}  // namespace nz
