#pragma once
#include "kernels/cpu/vector/lanes.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// The vectors of 64 bytes of numbers.
template <class T>
struct Slot {
  static constexpr int steps = 64 / sizeof(T) / Lanes<T>::width;
  typename Lanes<T>::Vector at[steps];
};

// body(h) for each of them. Not a loop, in which the compiler would keep them in memory.
template <class T, class Body>
NZ_INLINE void for_steps(Body&& body) {
  body(0);
  if constexpr (Slot<T>::steps > 1) body(1);
  if constexpr (Slot<T>::steps > 2) {
    body(2);
    body(3);
  }
  static_assert(Slot<T>::steps == 1 || Slot<T>::steps == 2 || Slot<T>::steps == 4);
}

#include "kernels/cpu/vector/isa_end.hpp"
