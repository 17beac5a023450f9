#include "lab/report/text.hpp"

#include <fmt/format.h>

namespace nz::lab {

std::string count_text(std::int64_t n) {
  std::string s = std::to_string(n);
  const std::size_t first = n < 0 ? 1 : 0;
  for (std::size_t at = s.size(); at > first + 3;) s.insert(at -= 3, 1, ',');
  return s;
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

namespace {

double fact(const Facts& facts, const char* name, double otherwise) {
  const auto at = facts.find(name);
  return at == facts.end() ? otherwise : at->second;
}

}  // namespace

bool padded(const Facts& facts) {
  return fact(facts, "padding_rows", 0) > 0 || fact(facts, "padding_cols", 0) > 0 ||
         fact(facts, "fill_ratio", 1) > 1;
}

std::string blocks_text(const Facts& facts) {
  if (!facts.contains("block_rows") || !facts.contains("block_cols")) return "";
  const auto whole = [&](const char* name) {
    return static_cast<std::int64_t>(fact(facts, name, 0));
  };
  std::string text = fmt::format("blocks of {} x {}", whole("block_rows"), whole("block_cols"));
  if (!padded(facts)) return text;
  const std::int64_t rows = whole("padding_rows"), cols = whole("padding_cols");
  text += ": ";
  if (rows > 0 || cols > 0)
    text += fmt::format("{} and {} of padding, ", plural(rows, "row", "rows"),
                        plural(cols, "column", "columns"));
  text += fmt::format("{:.2f} stored values a nonzero", fact(facts, "fill_ratio", 1));
  return text;
}

std::string several(const std::set<std::string>& kernels) {
  return kernels.size() == 1 ? *kernels.begin() : fmt::format("{} kernels", kernels.size());
}

}  // namespace nz::lab
