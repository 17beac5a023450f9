#include "lab/bench/ncu.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "lab/bench/child.hpp"

namespace nz::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* metric = "l1tex__t_sectors_lookup_miss.sum";

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
  const fs::path ncu = find_program("ncu", {"/usr/local/cuda/bin"});
  if (ncu.empty()) return {{}, "no ncu"};
  const fs::path program = this_program();
  if (program.empty()) return {{}, "cannot tell which program this is"};
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
