#include "cli/outputs.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "cli/stdout_data.hpp"
#include "io/output_file.hpp"
#include "lab/bench/input.hpp"
#include "lab/bench/matrix_name.hpp"
#include "lab/bench/source.hpp"

namespace nz::cli {
namespace {

// The same for all names of a file; "" where nothing can be overwritten.
std::string place_of(const std::string& path) {
  std::error_code unknown;
  // A device or a pipe takes what it gets.
  if (path.empty() || path == "-" || std::filesystem::is_other(path, unknown)) return "";
  return std::filesystem::weakly_canonical(path, unknown).string();
}

}  // namespace

void require_output(const std::string& path) {
  if (!path.empty() && !is_stdout(path)) require_writable(path);
}

void require_vector_output(const std::string& path) {
  if (path.empty() || is_stdout(path)) return;
  constexpr std::string_view endings[] = {".mtx", ".mtx.gz", ".mtx.zst", ".npy"};
  const std::string name = std::filesystem::path(path).filename().string();
  if (std::none_of(std::begin(endings), std::end(endings),
                   [&](std::string_view ending) { return name.ends_with(ending); }))
    throw InvalidArgument(
        fmt::format("{}: a vector file ends in .mtx, .mtx.gz, .mtx.zst or .npy", path));
  require_writable(path);
}

void require_vector_room(const std::string& path, std::size_t elements, std::size_t bytes) {
  // How far text is compressed shows when it is.
  if (path.empty() || is_stdout(path) || path.ends_with(".gz") || path.ends_with(".zst")) return;
  constexpr std::size_t least = 2;  // a number as text: a digit and the end of its line
  require_room(path, elements * (path.ends_with(".npy") ? bytes : least));
}

std::string file_of_matrix(const std::string& matrix) {
  const std::string what = lab::named_path(matrix).path;
  return lab::is_generated(what) ? "" : lab::Input(what).path;
}

std::vector<NamedFile> files_of_matrices(const std::vector<std::string>& matrices) {
  std::vector<NamedFile> all;
  for (const std::string& m : matrices) all.emplace_back("MATRIX", file_of_matrix(m));
  return all;
}

void require_apart(std::initializer_list<NamedFile> outputs, std::span<const NamedFile> inputs) {
  std::vector<NamedFile> seen;
  for (const auto& [option, path] : inputs)
    if (const std::string place = place_of(path); !place.empty()) seen.emplace_back(option, place);
  for (const auto& [option, path] : outputs) {
    const std::string place = is_stdout(path) ? path : place_of(path);
    if (place.empty()) continue;
    for (const NamedFile& other : seen)
      if (other.second == place && is_stdout(path))
        throw InvalidArgument(fmt::format("{} and {} are both -: only one of them can have stdout",
                                          other.first, option));
      else if (other.second == place)
        throw InvalidArgument(fmt::format("{} and {} both name {}: one would overwrite the other",
                                          other.first, option, path));
    seen.emplace_back(option, place);
  }
}

void require_one_stdin(std::span<const NamedFile> inputs) {
  const char* first = nullptr;
  for (const auto& [option, path] : inputs) {
    if (!lab::is_stdin(path)) continue;
    if (first != nullptr)
      throw InvalidArgument(
          fmt::format("{} and {} are both -: only one of them can have stdin", first, option));
    first = option;
  }
}

}  // namespace nz::cli
