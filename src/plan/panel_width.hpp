#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <nonzero/types.hpp>

// How gpu/panels/staged cuts columns into panels, for those who predict what it takes.
namespace nz {

// What a block of an H200 has for x.
inline constexpr std::size_t h200_staged_bytes = 224 * 1024;

// Panels, equally wide, whose x takes at most so many bytes.
inline std::int64_t panels_of(index_t cols, std::size_t value_bytes, std::size_t staged_bytes) {
  const auto most = static_cast<std::int64_t>(std::max<std::size_t>(1, staged_bytes / value_bytes));
  return std::max<std::int64_t>(1, (cols + most - 1) / most);
}
inline std::int64_t panel_width(index_t cols, std::size_t value_bytes, std::size_t staged_bytes) {
  const std::int64_t panels = panels_of(cols, value_bytes, staged_bytes);
  return std::max<std::int64_t>(1, (cols + panels - 1) / panels);
}

}  // namespace nz
