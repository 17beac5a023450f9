#pragma once

// When gpu/csr/balanced takes several vectors in place rather than through tiles: for the kernel,
// which does so, and for the model, which predicts it.
namespace nz {

// Bytes of a row of X: fewer leave lanes without work.
inline constexpr int least_wide_row = 64;
// Entries of a row, in the mean, that keep a warp busy, and the bytes of a row of X with which it
// is worth one.
inline constexpr double busy_row = 12;
inline constexpr int busy_wide_row = 128;

}  // namespace nz
