#pragma once
#include <nonzero/formats/wide.hpp>

namespace nz {

// Throws BadInput for a shape below 0, and with the first entry that is not in the matrix.
template <Value T>
void check_wide(const WideCooView<T>& a);

}  // namespace nz
