#pragma once
#include <utility>

#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// Block shapes: known to the compiler, or not.
template <int R, int C>
struct BlockShape {
  static constexpr bool fixed = true;
  static constexpr int rows = R, cols = C;
};
template <>
struct BlockShape<0, 0> {
  static constexpr bool fixed = false;
  int rows, cols;
  // Of a stage, found once: its blocks, and 2^31 over its divisors, rounded up.
  int stage_blocks;
  unsigned over_inputs, over_pieces;
};

// f(shape) with the shape known to the compiler where it is a common one: squares of these sides.
using CommonSides =
    std::integer_sequence<int, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32>;
template <class F, int... sides>
bool with_square(int side, F&& f, std::integer_sequence<int, sides...>) {
  return ((side == sides && (f(BlockShape<sides, sides>{}), true)) || ...);
}
template <class F>
void with_shape(int rows, int cols, F&& f) {
  if (rows != cols || !with_square(rows, f, CommonSides{}))
    f(BlockShape<0, 0>{rows, cols, 0, 0, 0});
}

// The fewest blocks of so many values that are whole pieces.
NZ_HOST_DEVICE constexpr int block_grain(int size, int piece) {
  int n = 1;
  while (n * size % piece != 0) n *= 2;
  return n;
}

}  // namespace nz::NZ_HOME
