#pragma once
#include <cstddef>
#include <memory>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

namespace nz {

// The transpose of a matrix, in host memory or in the device's, and who owns its arrays.
template <Value T, Offset O>
struct Transposed {
  CsrView<T, O> view{};
  std::shared_ptr<const void> owner{};
};

// Of a matrix in host memory or in the device's.
template <Value T, Offset O>
Transposed<T, O> transposed_on(Device device, const CsrView<T, O>& a);

}  // namespace nz
