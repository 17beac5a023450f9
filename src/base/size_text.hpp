#pragma once
#include <array>
#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace nz {

// A number of bytes the way people read it, in messages and tables: "1023 B", "1.5 GiB".
inline std::string size_text(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t u = 0;
  // 1023.95 would print as 1024.0.
  while (bytes >= 1023.95 && u + 1 < units.size()) bytes /= 1024, ++u;
  return u == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[u]);
}
inline std::string size_text(std::size_t bytes) { return size_text(static_cast<double>(bytes)); }

}  // namespace nz
