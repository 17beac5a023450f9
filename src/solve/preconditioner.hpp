#pragma once
#include <nonzero/array.hpp>
#include <nonzero/solve.hpp>

namespace nz::solve {

// One of the two: a diagonal, which sweeps multiply by in passing, or an operator.
template <Value T>
struct Preconditioner<T>::Inside {
  Device device{};
  index_t rows = 0;
  Array<T> host;           // the diagonal of the inverse, on the CPU
  DeviceArray<T> far;      // or on a GPU
  LinearOperator<T> by{};  // empty: the diagonal

  const T* diagonal() const { return device == cpu_device ? host.data() : far.data(); }
};

// Of a diagonal in host memory.
template <RealValue T>
Preconditioner<T> of_diagonal(Array<T> inverse, Device device);

}  // namespace nz::solve
