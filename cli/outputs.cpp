#include "cli/outputs.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "io/output_file.hpp"

namespace nz::cli {

void require_output(const std::string& path) {
  if (!path.empty()) require_writable(path);
}

void require_vector_output(const std::string& path) {
  if (path.empty()) return;
  constexpr std::string_view endings[] = {".mtx", ".mtx.gz", ".mtx.zst", ".npy"};
  const std::string name = std::filesystem::path(path).filename().string();
  if (std::none_of(std::begin(endings), std::end(endings),
                   [&](std::string_view ending) { return name.ends_with(ending); }))
    throw InvalidArgument(
        fmt::format("{}: a vector file ends in .mtx, .mtx.gz, .mtx.zst or .npy", path));
  require_writable(path);
}

void require_apart(
    std::initializer_list<std::pair<const char*, const std::string*>> options_and_paths) {
  std::vector<std::pair<const char*, std::string>> seen;
  for (const auto& [option, path] : options_and_paths) {
    if (path->empty() || *path == "-") continue;
    std::error_code unknown;
    // A device or a pipe takes what it gets.
    if (std::filesystem::is_other(*path, unknown)) continue;
    const std::string place = std::filesystem::weakly_canonical(*path, unknown).string();
    for (const auto& [other, there] : seen)
      if (there == place)
        throw InvalidArgument(fmt::format("{} and {} both name {}: one would overwrite the other",
                                          other, option, *path));
    seen.emplace_back(option, place);
  }
}

}  // namespace nz::cli
