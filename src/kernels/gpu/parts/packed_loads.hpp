#pragma once
#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// `items` neighbours in as few loads of at most 16 bytes as there are, evicted first. `from` is
// aligned to such a load.
template <int items, class V>
NZ_DEVICE void load_packed(const Thread& t, const V* from, V (&to)[items]) {
  constexpr int n = 16 / sizeof(V) < items ? 16 / sizeof(V) : items;
  NZ_UNROLL
  for (int i = 0; i < items; i += n) {
    const auto some = t.load_streaming(reinterpret_cast<const Pack<V, n>*>(from + i));
    NZ_UNROLL
    for (int j = 0; j < n; ++j) to[i + j] = some.at[j];
  }
}

}  // namespace nz::NZ_HOME
