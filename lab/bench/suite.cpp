#include "lab/bench/suite.hpp"

#include <algorithm>
#include <cstdlib>
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
constexpr const char* real_name = "real";

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
    throw BadInput(fmt::format("{}: no such file, and no suite of ours: {}, {}", what,
                               fmt::join(suite_names(), ", "), real_name));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The suite of a folder's matrices, the smallest files first.
Suite folder_suite(const std::string& folder, const std::string& scale) {
  if (scale != "large" && scale != "small")
    throw InvalidArgument(fmt::format("{}: a folder has no scale '{}'", folder, scale));
  constexpr std::uintmax_t small_file = 50'000;
  std::vector<std::pair<std::uintmax_t, std::filesystem::path>> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool matrix = name.ends_with(".mtx") || name.ends_with(".mtx.gz") ||
                        name.ends_with(".mtx.zst") || name.ends_with(".nzb");
    std::error_code none;
    const std::uintmax_t bytes = matrix ? entry.file_size(none) : 0;
    if (matrix && !none && (scale == "large" || bytes < small_file))
      files.emplace_back(bytes, entry.path());
  }
  if (error) throw BadInput(fmt::format("{}: {}", folder, error.message()));
  if (files.empty()) throw BadInput(fmt::format("{}: no matrices here", folder));
  std::sort(files.begin(), files.end());
  // "matrices/" is called as "matrices" is.
  const auto path = std::filesystem::path(folder + "/").parent_path().lexically_normal();
  Suite suite{.file = path.filename().string() + ".json",
              .about = fmt::format("The matrices of {}.", folder)};
  for (const auto& [bytes, file] : files) {
    const std::string whole = file.filename().string();
    std::string_view name = whole;
    for (const std::string_view ending : {".zst", ".gz", ".mtx", ".nzb"})
      if (name.ends_with(ending)) name.remove_suffix(ending.size());
    suite.matrices.push_back({std::string(name), file.string(), "a file"});
  }
  return suite;
}

// Matrices that people use: those of the folder that NZ_MATRICES names.
Suite real_suite(const std::string& scale) {
  const char* folder = std::getenv("NZ_MATRICES");
  if (folder == nullptr || *folder == 0)
    throw BadInput(fmt::format("{}: NZ_MATRICES does not name a folder of matrices", real_name));
  Suite suite = folder_suite(folder, scale);
  suite.file = fmt::format("{}.json", real_name);
  suite.options = {.kernels = "plan,own,peer/*",
                   .without = {},
                   .ops = "N,T",
                   .types = "f32,f64",
                   .time_limit = 0.02};
  return suite;
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
  if (what == real_name) return real_suite(scale);
  if (std::error_code none; std::filesystem::is_directory(what, none))
    return folder_suite(what, scale);
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
