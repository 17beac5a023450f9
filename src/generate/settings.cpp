#include "generate/settings.hpp"

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {

double real(const Settings& all, std::string_view name) { return all.find(name)->second; }

std::int64_t whole(const Settings& all, std::string_view name) {
  const double value = real(all, name);
  const auto integer = static_cast<std::int64_t>(value);
  if (static_cast<double>(integer) != value)
    throw InvalidArgument(fmt::format("{} = {} is not a whole number", name, value));
  return integer;
}

index_t whole_index(const Settings& all, std::string_view name) {
  return static_cast<index_t>(whole(all, name));
}

std::uint64_t seed_of(const Settings& all) {
  return static_cast<std::uint64_t>(whole(all, "seed"));
}

index_t index_product(std::string_view what, std::int64_t a, std::int64_t b, std::int64_t c) {
  const auto limit = static_cast<std::int64_t>(max_index);
  if (a == 0 || b == 0 || c == 0) return 0;
  if (a > limit / b || a * b > limit / c)
    throw InvalidArgument(fmt::format("{}: {} x {} x {} is above {}", what, a, b, c, limit));
  return static_cast<index_t>(a * b * c);
}

}  // namespace nz
