#pragma once

// Which square blocks gpu/bsr/balanced multiplies several vectors with by kernels of their own: for
// those kernels, and for the model, which predicts them.
namespace nz {

inline bool has_squares_kernel(int side) { return side >= 2 && side <= 8 && side != 7; }

// Rows of a block that a group of lanes takes, so that a row of X that it loads serves them all.
constexpr int square_rows_of_group(int side) { return side <= 4 ? side : (side + 1) / 2; }

// Packs of 16 bytes that a row of X must have.
inline constexpr int least_packs_for_squares = 2;

}  // namespace nz
