#pragma once
#include <nonzero/kernel.hpp>

#include "plan/door.hpp"

namespace nz {

// The matrix with its values rounded, in a copy of them; all else is what came in. Values on a
// device go through the host. Throws as round_values() does.
template <Value T, Offset O>
Admitted<T, O> rounded(Device device, const Admitted<T, O>& in, StoredValues as,
                       ValueRounding& told);

// Whether a kernel stores values that were rounded to a type in no more than its bytes.
bool stores(const Kernel& kernel, StoredValues as);
// Throws InvalidArgument, naming those that do, where it does not.
void require_stored(const Kernel& kernel, StoredValues as, Device device);

}  // namespace nz
