#pragma once
#include <string>

#include <nlohmann/json.hpp>

namespace nz::lab {

// What is wrong with a JSON, without the name of the library's exception, which helps nobody.
inline std::string words_of(const nlohmann::json::exception& e) {
  const std::string what = e.what();
  const auto end = what.starts_with('[') ? what.find("] ") : what.npos;
  return end == what.npos ? what : what.substr(end + 2);
}

}  // namespace nz::lab
