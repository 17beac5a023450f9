#pragma once
#include <cstddef>

// How gpu/csr/balanced takes several vectors whose rows are long: for the kernel, which does so,
// and for the model, which predicts it.
namespace nz {

// Through tiles in shared memory, or in place: runs of rows by groups of lanes, a warp a row.
enum class SeveralBy { matrix, tiles, runs, warps };

// Bytes of a row of X: fewer leave lanes without work, those of a warp a row, and those of runs.
inline constexpr int least_warp_row = 16, least_wide_row = 64;

// What is best for rows of X of so many bytes, and rows of the matrix that have so many entries in
// the mean: `differ` says that some are too long for a tile. A warp a row has to be kept busy, and
// does not mind that rows differ; where they do runs wait for each other.
inline SeveralBy several_by(double row_bytes, std::size_t value_bytes, double entries,
                            bool differ) {
  const bool is_float = value_bytes <= 4;
  if (row_bytes < least_warp_row) return SeveralBy::tiles;
  if (row_bytes < 32) return entries >= 64 ? SeveralBy::warps : SeveralBy::tiles;
  if (row_bytes < least_wide_row)
    return entries >= (is_float ? 40 : 20) ? SeveralBy::warps : SeveralBy::tiles;
  if (differ && entries < 8) return is_float ? SeveralBy::tiles : SeveralBy::runs;
  if (differ) return SeveralBy::warps;
  return entries < (row_bytes < 128 ? 40 : 24) ? SeveralBy::runs : SeveralBy::warps;
}

}  // namespace nz
