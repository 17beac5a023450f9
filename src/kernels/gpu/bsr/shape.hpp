#pragma once
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

// f(shape) with the shape known to the compiler where it is a common one.
template <class F>
void with_shape(int rows, int cols, F&& f) {
  if (rows == cols) {
    switch (rows) {
      case 2:
        return f(BlockShape<2, 2>{});
      case 3:
        return f(BlockShape<3, 3>{});
      case 4:
        return f(BlockShape<4, 4>{});
      case 5:
        return f(BlockShape<5, 5>{});
      case 6:
        return f(BlockShape<6, 6>{});
      case 7:
        return f(BlockShape<7, 7>{});
      case 8:
        return f(BlockShape<8, 8>{});
      case 9:
        return f(BlockShape<9, 9>{});
      case 10:
        return f(BlockShape<10, 10>{});
      case 11:
        return f(BlockShape<11, 11>{});
      case 12:
        return f(BlockShape<12, 12>{});
      case 13:
        return f(BlockShape<13, 13>{});
      case 14:
        return f(BlockShape<14, 14>{});
      case 15:
        return f(BlockShape<15, 15>{});
      case 16:
        return f(BlockShape<16, 16>{});
      case 32:
        return f(BlockShape<32, 32>{});
      default:
        break;
    }
  }
  f(BlockShape<0, 0>{rows, cols, 0, 0, 0});
}

// The fewest blocks of so many values that are whole pieces.
NZ_HOST_DEVICE constexpr int block_grain(int size, int piece) {
  int n = 1;
  while (n * size % piece != 0) n *= 2;
  return n;
}

}  // namespace nz::NZ_HOME
