#pragma once
#include <nonzero/formats/pattern.hpp>

#include "device/csr.hpp"

namespace nz {

// body(pattern), the offsets copied to the host and the columns fetched as needed where the matrix
// lies on the device.
template <class T, class O, class Body>
auto with_pattern(Device device, const CsrView<T, O>& a, Body&& body) {
  Pattern p(a);
  if (device == cpu_device || !lies_on(device, a)) return body(p);
  const HostOffsets<O> offsets = host_offsets(device, a);
  p.put_offsets(offsets.span().data());
  p.fetch = [device](void* to, const void* from, std::size_t bytes) {
    detail::device_copy(device, to, from, bytes, {});
  };
  return body(p);
}

}  // namespace nz
