#include "lab/bench/suite.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>

namespace nz::lab {
namespace {

using Json = nlohmann::json;

constexpr const char* suite_schema = "nonzero-suite/1";

struct File {
  const char* name;
  const char* text;
};
constexpr File ours[] = {
#include <suites.inc>  // made by lab/CMakeLists.txt
};

std::string text_of(const std::string& what) {
  for (const File& f : ours)
    if (what == f.name) return f.text;
  std::ifstream file(what, std::ios::binary);
  if (!file)
    throw BadInput(fmt::format("{}: no such file, and no suite of ours: {}", what,
                               fmt::join(suite_names(), ", ")));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

SuiteOptions options_of(const Json& suite) {
  SuiteOptions o;
  const auto found = suite.find("options");
  if (found == suite.end()) return o;
  for (const auto& [key, value] : found->items()) {
    if (key == "kernels")
      o.kernels = value.get<std::string>();
    else if (key == "without")
      o.without = value.get<std::string>();
    else if (key == "ops")
      o.ops = value.get<std::string>();
    else if (key == "types")
      o.types = value.get<std::string>();
    else if (key == "time_limit")
      o.time_limit = value.get<double>();
    else
      throw BadInput(fmt::format("no option '{}'", key));
  }
  return o;
}

}  // namespace

std::vector<std::string> suite_names() {
  std::vector<std::string> all;
  for (const File& f : ours) all.emplace_back(f.name);
  return all;
}

Suite read_suite(const std::string& what, const std::string& scale) {
  Suite suite{.file = std::filesystem::path(what).filename().string(), .about = {}};
  if (!suite.file.ends_with(".json")) suite.file += ".json";
  std::set<std::string> names;
  try {
    const Json j = Json::parse(text_of(what));
    if (!j.is_object() || j.value("schema", "") != suite_schema)
      throw BadInput(fmt::format("not a suite ({})", suite_schema));
    suite.about = j.value("about", "");
    suite.options = options_of(j);
    const std::string which = scale == "large" ? "source" : scale;
    for (const Json& m : j.at("matrices")) {
      SuiteMatrix one{.name = m.at("name"), .source = {}, .why = m.value("why", "")};
      if (!m.contains(which))
        throw InvalidArgument(fmt::format("{}: {} has no scale '{}'", what, one.name, scale));
      one.source = m.at(which);
      if (!names.insert(one.name).second)
        throw BadInput(fmt::format("two matrices are called {}", one.name));
      suite.matrices.push_back(std::move(one));
    }
  } catch (const BadInput& e) {
    const std::string reason = e.what();
    throw BadInput(reason.starts_with(what) ? reason : fmt::format("{}: {}", what, reason));
  } catch (const Json::exception& e) {
    throw BadInput(fmt::format("{}: {}", what, e.what()));
  }
  return suite;
}

}  // namespace nz::lab
