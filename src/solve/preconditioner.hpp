#pragma once
#include <optional>

#include <nonzero/array.hpp>
#include <nonzero/solve.hpp>

namespace nz::solve {

// One of the two: a diagonal, which sweeps multiply by in passing, or a plan.
template <Value T>
struct Preconditioner<T>::Inside {
  Device device{};
  index_t rows = 0;
  Array<T> host;       // the diagonal of the inverse, on the CPU
  DeviceArray<T> far;  // or on a GPU
  std::optional<Plan<T>> plan;

  const T* diagonal() const { return device == cpu_device ? host.data() : far.data(); }
};

}  // namespace nz::solve
