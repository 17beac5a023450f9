#pragma once
#include <cstdint>
#include <functional>

namespace nz {

// Whether two stretches of memory have an element in common.
template <class T>
bool meet(const T* a, std::int64_t of_a, const T* b, std::int64_t of_b) {
  const std::less<const T*> before;
  return of_a > 0 && of_b > 0 && before(a, b + of_b) && before(b, a + of_a);
}

}  // namespace nz
