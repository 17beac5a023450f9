#include "plan/rounded.hpp"

#include <memory>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/registry.hpp>

#include "base/instantiate.hpp"
#include "device/csr.hpp"
#include "formats/round_values.hpp"

namespace nz {

template <Value T, Offset O>
Admitted<T, O> rounded(Device device, const Admitted<T, O>& in, StoredValues as,
                       ValueRounding& told) {
  if (as == StoredValues::exact) return in;
  if constexpr (!RealValue<T>) {
    throw InvalidArgument("values of complex matrices are stored as they are");
  } else {
    struct Both {
      std::shared_ptr<const void> others;  // the arrays that came in
      Array<T> here;
      DeviceArray<T> there;
    };
    auto both = std::make_shared<Both>();
    both->others = in.owner;
    both->here = Array<T>(static_cast<std::size_t>(in.view.nnz));
    Admitted<T, O> to = in;
    to.in_place = false;
    to.start.reset();  // it has values, too, as they were
    to.bytes += both->here.size() * sizeof(T);
    if (device != cpu_device && lies_on(device, in.view)) {
      const HostCsr<T, O> host(device, in.view);
      told = round_values_to(host.view(), both->here.data(), as);
      both->there = {device, std::span<const T>(both->here.data(), both->here.size())};
      both->here = {};
      to.view.values = both->there.data();
    } else {
      told = round_values_to(in.view, both->here.data(), as);
      to.view.values = both->here.data();
    }
    to.owner = std::move(both);
    return to;
  }
}

bool stores(const Kernel& kernel, StoredValues as) {
  if (as == StoredValues::exact) return true;
  return kernel.narrowing == Narrowing::shorts ||
         (kernel.narrowing == Narrowing::floats && as == StoredValues::f32);
}

void require_stored(const Kernel& kernel, StoredValues as, Device device) {
  if (stores(kernel, as)) return;
  std::string those;
  for (const Kernel& k : kernels())
    if (stores(k, as) && k.runs_on_device(device.kind))
      those += (those.empty() ? "" : ", ") + k.id();
  throw InvalidArgument(fmt::format("{} does not store values as {}; on {} these do: {}",
                                    kernel.id(), name(as), device.name(), those));
}

#define NZ_INSTANTIATE(T, O) \
  template Admitted<T, O> rounded(Device, const Admitted<T, O>&, StoredValues, ValueRounding&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
