#pragma once
#include <cstddef>
#include <cstdint>

// How CPU kernels take several vectors, for the kernels, which do so, and for the model, which
// predicts it.
namespace nz::cpu {

// Bytes of X that stay in a core's own cache.
inline constexpr double near_bytes = 1 << 20;

// Vectors up to which gathering from each column takes less than reading a row of X for each entry:
// where X lies by columns, and where it lies by rows and is copied into columns first.
inline constexpr int few_gathers = 8, few_gathers_of_rows = 3;
// The latter of packed slices, whose entries take longer to write down.
constexpr int few_picks_of_rows(std::size_t value_bytes) { return value_bytes < 8 ? 6 : 4; }

// Vectors by columns up to which blocks in the order of CSB, which read rows of X, take them one by
// one.
inline constexpr int few_columns = 3;

// Entries a row of X from which on a copy of it row by row is worth its time: of columns, each of
// which an entry reads by itself otherwise, of rows that reach over the end of cache lines, and of
// rows that can be read beyond their own ends, which seldom do.
inline constexpr std::int64_t worth_copying = 3, worth_padding = 16, worth_padding_narrow = 64;

}  // namespace nz::cpu
