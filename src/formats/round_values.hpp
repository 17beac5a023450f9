#pragma once
#include <nonzero/formats/stored_values.hpp>

namespace nz {

// The values of a matrix in host memory, rounded as round_values() does, to another place or to
// where they are.
template <Value T, Offset O>
ValueRounding round_values_to(const CsrView<T, O>& a, T* to, StoredValues as);

}  // namespace nz
