#pragma once
#include <cstddef>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/size_text.hpp"

namespace nz::lab {

// What is wrong with a JSON, without the name of the library's exception, which helps nobody.
inline std::string words_of(const nlohmann::json::exception& e) {
  const std::string what = e.what();
  const auto end = what.starts_with('[') ? what.find("] ") : what.npos;
  return end == what.npos ? what : what.substr(end + 2);
}

// What is wrong with bytes, so many, that are no JSON.
inline std::string no_json(const nlohmann::json::parse_error& e, std::size_t bytes) {
  return e.byte >= bytes ? fmt::format("cut off after {}", size_text(static_cast<double>(bytes)))
                         : fmt::format("not JSON: wrong at byte {}", e.byte);
}

}  // namespace nz::lab
