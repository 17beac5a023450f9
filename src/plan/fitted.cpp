#include "plan/fitted.hpp"

#include "base/instantiate.hpp"
#include "plan/pattern_on.hpp"

namespace nz {
template <Value T, Offset O>
Parameters fitted(const Kernel& kernel, const Parameters& wanted, const CsrView<T, O>& a,
                  Device device) {
  if (!kernel.fit) return kernel.resolve(wanted);
  return with_pattern(device, a, [&](const Pattern& p) { return kernel.resolve(wanted, p); });
}

#define NZ_INSTANTIATE(T, O) \
  template Parameters fitted(const Kernel&, const Parameters&, const CsrView<T, O>&, Device);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
