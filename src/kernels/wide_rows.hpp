#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

// How gpu/csr/balanced cuts its tiles, and how it takes several vectors whose rows are long: for
// the kernel, which does so, and for the model, which predicts it.
namespace nz {

// Through tiles in shared memory, or in place: runs of rows by groups of lanes, a warp a row.
enum class SeveralBy { matrix, tiles, runs, warps };

// Its tiles: a small matrix has enough blocks only where they take little each. Doubles are as many
// bytes half as many, but rows that leave much of a tile empty want it larger.
inline bool has_small_tiles(std::int64_t nnz) { return nnz < 700'000; }
inline int items_of_tile(std::int64_t nnz, std::size_t value_bytes, double entries) {
  if (has_small_tiles(nnz)) return 4;
  return value_bytes == 4 || (entries >= 40 && entries <= 128) ? 8 : 4;
}
// Entries of the longest row that a tile takes: a piece costs a small matrix more than a tile.
inline int longest_in_tile(std::int64_t nnz, int threads, int items) {
  return threads * items / (has_small_tiles(nnz) ? 4 : 8);
}
inline constexpr int usual_tile_threads = 128;

// Bytes of a row of X: fewer leave lanes without work, those of a warp a row, and those of runs.
inline constexpr int least_warp_row = 16, least_wide_row = 64;

// Elements that rows of X are multiples of where kernels read them as they are: whole packs of 16
// bytes, or two where the row is short and a copy would cost more than it brings.
inline int elements_of_pack(std::int64_t columns, std::size_t value_bytes) {
  const int whole = static_cast<int>(16 / value_bytes);
  if (columns < 3) return 1;
  return columns * static_cast<std::int64_t>(value_bytes) >= least_wide_row ? whole
                                                                            : std::min(2, whole);
}

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

// Entries of rows in the mean from which it pays to write Y by rows, where it is to lie by columns,
// for ways in place, which write rows alone.
inline constexpr double least_for_rows_of_y = 10;

}  // namespace nz
