#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <nonzero/types.hpp>

// How gpu/panels/staged cuts columns into panels: for it, and for those who predict what it takes.
namespace nz {

// Columns of x that a block can have whose shared memory is so large, beside a table of 256 values
// and what 32 warps leave for each other; numbered in 16 bits.
constexpr std::int64_t staged_columns(std::size_t value_bytes, std::size_t shared_bytes) {
  const std::size_t others = 256 * value_bytes + 32 * (value_bytes + sizeof(int));
  const std::size_t room = shared_bytes > others ? (shared_bytes - others) / 128 * 128 : 0;
  return static_cast<std::int64_t>(std::min<std::size_t>(room / value_bytes, 1 << 16));
}

// Panels of at most so many columns, equally wide.
constexpr std::int64_t panels_of(index_t cols, std::int64_t most) {
  return std::max<std::int64_t>(1, (cols + most - 1) / std::max<std::int64_t>(1, most));
}
constexpr std::int64_t panel_width(index_t cols, std::int64_t most) {
  const std::int64_t panels = panels_of(cols, most);
  return std::max<std::int64_t>(1, (cols + panels - 1) / panels);
}

// Entries of more than this cannot be numbered.
inline constexpr std::int64_t most_staged_entries = 0x7fffffff;

}  // namespace nz
