#pragma once
#include <concepts>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

namespace nz::lab {

// A number of a file as T. Throws BadInput for fractions and for what T cannot hold, which the JSON
// library would turn into something else.
template <std::integral T>
T whole_number(const nlohmann::ordered_json& j) {
  const bool fits = j.is_number_unsigned()
                        ? std::in_range<T>(j.get<std::uint64_t>())
                        : j.is_number_integer() && std::in_range<T>(j.get<std::int64_t>());
  if (!fits) throw BadInput(fmt::format("{} is not a whole number in range", j.dump()));
  return j.get<T>();
}

}  // namespace nz::lab
