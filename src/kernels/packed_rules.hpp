#pragma once
#include <cstddef>

// Which rows of a packed slice for warps make a run (kernels/gpu/packed/slices.hpp), for those who
// pack them and for those who estimate what that would take.
namespace nz {

inline constexpr int slice_parts = 4, slice_rows = 32 * slice_parts;
// Of a run's description: its mask and the first column, with or without a value.
inline constexpr int run_bytes = 32;

// Rows that are worth a run of one value: it takes as many bytes as some five picks, and its loads
// of x are side by side.
inline constexpr int enough_equal = 12;

// Rows that are worth a run: what it takes, over what a pick takes.
constexpr int enough_rows(std::size_t value_bytes) {
  const auto v = static_cast<int>(value_bytes);
  return (run_bytes + slice_rows * v) / (2 + v);
}

}  // namespace nz
