#include "lab/bench/suite.hpp"

#include <fstream>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

namespace nz::lab {
namespace {

constexpr const char* suite_schema = "nonzero-suite/1";

}  // namespace

std::vector<SuiteMatrix> read_suite(const std::filesystem::path& path, const std::string& scale) {
  using Json = nlohmann::json;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BadInput(fmt::format("{}: no such file", path.string()));
  std::vector<SuiteMatrix> all;
  std::set<std::string> names;
  try {
    const Json j = Json::parse(file);
    if (!j.is_object() || j.value("schema", "") != suite_schema)
      throw BadInput(fmt::format("{}: not a suite ({})", path.string(), suite_schema));
    const std::string which = scale == "large" ? "source" : scale;
    for (const Json& m : j.at("matrices")) {
      SuiteMatrix one{.name = m.at("name"), .why = m.value("why", "")};
      if (!m.contains(which))
        throw InvalidArgument(
            fmt::format("{}: {} has no scale '{}'", path.string(), one.name, scale));
      one.source = m.at(which);
      if (!names.insert(one.name).second)
        throw BadInput(fmt::format("{}: two matrices are called {}", path.string(), one.name));
      all.push_back(std::move(one));
    }
  } catch (const Json::exception& e) {
    throw BadInput(fmt::format("{}: {}", path.string(), e.what()));
  }
  return all;
}

}  // namespace nz::lab
