#include "plan/fitted.hpp"

#include "base/instantiate.hpp"
#include "kernels/gpu/device_csr.hpp"

namespace nz {
namespace {

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

}  // namespace

template <Value T, Offset O>
Parameters fitted(const Kernel& kernel, const Parameters& wanted, const CsrView<T, O>& a,
                  Device device) {
  if (!kernel.fit) return kernel.resolve(wanted);
  return with_pattern(device, a, [&](const Pattern& p) { return kernel.resolve(wanted, p); });
}

template <Value T, Offset O>
BlockVerdict detect_blocks_on(Device device, const CsrView<T, O>& a) {
  return with_pattern(device, a, [](const Pattern& p) { return detect_blocks(p); });
}

template <Value T, Offset O>
TileVerdict look_for_tiles_on(Device device, const CsrView<T, O>& a) {
  return with_pattern(device, a, [](const Pattern& p) { return look_for_tiles(p); });
}

#define NZ_INSTANTIATE(T, O)                                                                  \
  template Parameters fitted(const Kernel&, const Parameters&, const CsrView<T, O>&, Device); \
  template BlockVerdict detect_blocks_on(Device, const CsrView<T, O>&);                       \
  template TileVerdict look_for_tiles_on(Device, const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
