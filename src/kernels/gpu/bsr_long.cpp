#include "kernels/gpu/bsr_long.hpp"

#include "kernels/gpu/bsr_long_launch.hpp"

namespace nz::NZ_HOME {

bool long_takes(int rows, int cols) {
  bool takes = false;
  with_shape(rows, cols, [&]<class Shape>(const Shape&) { takes = Shape::fixed; });
  return takes;
}

template <Value T>
void launch_long(CUstream_st* stream, int rows, int cols, const LongArguments<T>& a) {
  with_shape(rows, cols, [&]<class Shape>(const Shape&) {
    if constexpr (Shape::fixed)
      launch({.blocks = blocks_for(a.tasks.count, 4), .threads = 128, .stream = stream},
             BsrLong<T, Shape::rows, Shape::cols>{a.tasks, a.values, a.columns, a.cols, a.rows,
                                                  a.alpha, a.x, a.beta, a.y});
  });
}

template void launch_long(CUstream_st*, int, int, const LongArguments<float>&);
template void launch_long(CUstream_st*, int, int, const LongArguments<double>&);

}  // namespace nz::NZ_HOME
