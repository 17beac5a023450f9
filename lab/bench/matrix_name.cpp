#include "lab/bench/matrix_name.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "lab/bench/input.hpp"
#include "lab/bench/source.hpp"

namespace nz::lab {
namespace {

// What stands before the = of NAME=FILE; nothing where the = is within a path or a specification.
std::string_view chosen_name(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == 0 || equals == word.npos || equals + 1 == word.size()) return {};
  const std::string_view name = std::string_view(word).substr(0, equals);
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("._+- ()").find(c) != std::string_view::npos;
  };
  if (!std::all_of(name.begin(), name.end(), allowed)) return {};
  std::error_code unknown;
  return std::filesystem::exists(word, unknown) ? std::string_view{} : name;
}

}  // namespace

std::string matrix_name(const std::string& what) {
  if (is_generated(what)) return what;
  const Input input(what);
  if (input.is_stdin()) return "stdin";
  std::string name = std::filesystem::path(input.path).filename().string();
  const auto drop = [&](std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings)
      if (name.size() > ending.size() && name.ends_with(ending)) {
        name.erase(name.size() - ending.size());
        return;
      }
  };
  drop({".gz", ".zst", ".tgz"});
  drop({".tar"});
  drop({".mtx", ".nzb", ".npz", ".mat", ".rb", ".rua", ".rsa", ".pua", ".psa", ".txt", ".tsv",
        ".csv", ".el", ".edges", ".edgelist", ".graph", ".metis"});
  if (name.empty()) return what;
  return input.variable.empty() ? name : name + ':' + input.variable;
}

NamedPath named_path(const std::string& word) {
  const std::string_view name = chosen_name(word);
  return {std::string(name), name.empty() ? word : word.substr(name.size() + 1)};
}

SuiteMatrix named_matrix(const std::string& word) {
  const NamedPath named = named_path(word);
  return {named.name.empty() ? matrix_name(word) : named.name, named.path, ""};
}

}  // namespace nz::lab
