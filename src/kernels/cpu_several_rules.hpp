#pragma once
#include <cstdint>

// How CPU kernels take several vectors, for the kernels, which do so, and for the model, which
// predicts it.
namespace nz::cpu {

// Bytes of X that stay in a core's own cache.
inline constexpr double near_bytes = 1 << 20;

// Vectors up to which SELL gathers each column, which takes less than reading rows of X entry by
// entry.
inline constexpr int few_gathers = 8;

// Entries a row of X from which on a copy of it row by row is worth its time: of columns, each of
// which an entry reads by itself otherwise, of rows that reach over the end of cache lines, and of
// rows that can be read beyond their own ends, which seldom do.
inline constexpr std::int64_t worth_copying = 3, worth_padding = 16, worth_padding_narrow = 64;

}  // namespace nz::cpu
