#pragma once
#include "kernels/gpu/bsr_line_tasks.hpp"

// The door to bsr_long.hpp, whose kernels are compiled in bsr_long.cpp.
namespace nz::NZ_HOME {

// Whether it has kernels for blocks of this shape.
bool long_takes(int rows, int cols);

template <class T>
struct LongArguments {
  LineTaskView<T> tasks;
  const T* values;
  const index_t* columns;
  std::int64_t cols, rows;
  T alpha;
  const T* x;
  T beta;
  T* y;
};
template <Value T>
void launch_long(CUstream_st* stream, int rows, int cols, const LongArguments<T>& a);

}  // namespace nz::NZ_HOME
