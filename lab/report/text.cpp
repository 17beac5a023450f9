#include "lab/report/text.hpp"

#include <array>

#include <fmt/format.h>

namespace nz::lab {

std::string count_text(std::int64_t n) {
  std::string s = std::to_string(n);
  const std::size_t first = n < 0 ? 1 : 0;
  for (std::size_t at = s.size(); at > first + 3;) s.insert(at -= 3, 1, ',');
  return s;
}

std::string bytes_text(double bytes) {
  static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t u = 0;
  // 1023.95 would print as 1024.0.
  while (bytes >= 1023.95 && u + 1 < units.size()) bytes /= 1024, ++u;
  return u == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[u]);
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string rate_text(double per_second) { return fmt::format("{:.2f}", per_second / 1e9); }

std::string percent_text(double share) {
  const double p = 100 * share;
  if (p > 0 && p < 0.1) return fmt::format("{:.2g} %", p);
  return fmt::format("{:.1f} %", p);
}

std::string plural(std::int64_t n, const char* one, const char* many) {
  return count_text(n) + ' ' + (n == 1 ? one : many);
}

}  // namespace nz::lab
