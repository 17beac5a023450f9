#include "lab/bench/ncu.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <vector>

#include <fmt/format.h>

namespace nz::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* metric = "l1tex__t_sectors_lookup_miss.sum";

// In the search path, or where CUDA puts it; empty where it is not.
fs::path find_ncu() {
  std::vector<fs::path> folders;
  if (const char* path = std::getenv("PATH")) {
    std::istringstream all(path);
    for (std::string folder; std::getline(all, folder, ':');) folders.emplace_back(folder);
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::is_regular_file(folder / "ncu", error)) return folder / "ncu";
  }
  return {};
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

// What a command prints, errors too.
std::optional<std::string> output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"),
                                                   [](FILE* f) { return pclose(f); });
  if (!pipe) return {};
  std::string all;
  char some[4096];
  while (const std::size_t n = std::fread(some, 1, sizeof some, pipe.get())) all.append(some, n);
  return all;
}

std::string first_complaint(const std::string& text) {
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);)
    if (line.starts_with("==ERROR==")) return line.substr(10);
  return "it printed no figure";
}

}  // namespace

std::optional<double> last_figure(std::string_view csv, std::string_view wanted) {
  const std::string cell = fmt::format("\"{}\"", wanted);
  const std::size_t found = csv.rfind(cell);
  if (found == std::string_view::npos) return {};
  std::string_view line = csv.substr(found, csv.find('\n', found) - found);
  while (!line.empty() && line.back() != '"') line.remove_suffix(1);
  if (line.size() <= cell.size()) return {};
  line.remove_suffix(1);
  line.remove_prefix(line.rfind('"') + 1);
  std::string digits;
  for (const char c : line)
    if (c != ',') digits += c;
  char* end = nullptr;
  const double figure = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0') return {};
  return figure;
}

Counted count_l1_misses(const Profiled& what) {
  if (what.device.kind != Device::Kind::cuda) return {{}, "no GPU to profile"};
  const fs::path ncu = find_ncu();
  if (ncu.empty()) return {{}, "no ncu"};
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {{}, "cannot tell which program this is"};
  std::string command = fmt::format(
      "{} --csv --metrics {} {} bench {} --kernels {} --ops {} --types f32 --device {}",
      for_shell(ncu.string()), metric, for_shell(program.string()), for_shell(what.matrix),
      for_shell(what.kernel), name(what.op), what.device.name());
  for (const auto& [parameter, value] : what.parameters)
    command += fmt::format(" --param {}={}", parameter, value);
  const auto printed = output_of(command + " --profile");
  if (!printed) return {{}, "cannot start ncu"};
  const auto figure = last_figure(*printed, metric);
  if (!figure) return {{}, "ncu: " + first_complaint(*printed)};
  return {figure, ""};
}

}  // namespace nz::lab
