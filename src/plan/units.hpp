#pragma once
#include <string>

#include <fmt/format.h>

// Numbers for messages and explanations.
namespace nz {

inline std::string time_text(double seconds) {
  if (seconds <= 0) return "-";
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

}  // namespace nz
