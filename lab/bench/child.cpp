#include "lab/bench/child.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

namespace nz::lab {

namespace fs = std::filesystem;

fs::path find_program(std::string_view name, const std::vector<fs::path>& also) {
  std::vector<fs::path> folders;
  if (const char* path = std::getenv("PATH")) {
    std::istringstream all(path);
    for (std::string folder; std::getline(all, folder, ':');) folders.emplace_back(folder);
  }
  folders.insert(folders.end(), also.begin(), also.end());
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error)) return folder / name;
  }
  return {};
}

fs::path this_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program;
}

std::string for_shell(std::string_view text) {
  std::string all = "'";
  for (const char c : text)
    if (c == '\'')
      all += "'\\''";
    else
      all += c;
  return all + "'";
}

std::optional<std::string> output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"),
                                                   [](FILE* f) { return pclose(f); });
  if (!pipe) return {};
  std::string all;
  char some[4096];
  while (const std::size_t n = std::fread(some, 1, sizeof some, pipe.get())) all.append(some, n);
  return all;
}

}  // namespace nz::lab
