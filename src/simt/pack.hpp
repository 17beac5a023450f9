#pragma once

namespace nz {

// n elements that are loaded and stored at once.
template <class V, int n>
struct alignas(sizeof(V) * n) Pack {
  V at[n];
};

}  // namespace nz
