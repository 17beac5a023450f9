#include "lab/bench/cachegrind.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <unistd.h>

#include <fmt/format.h>

#include "lab/bench/child.hpp"

namespace nz::lab {
namespace {

namespace fs = std::filesystem;

struct Run {
  std::optional<CacheCounts> counts;
  std::string why_not;
};

Run run(const fs::path& valgrind, const fs::path& program, const std::string& matrix,
        const std::string& kernel, int products, const SimulatedCaches& caches) {
  const auto option = [](const char* name, const std::string& value) {
    return value.empty() ? "" : fmt::format("--{}={}", name, for_shell(value));
  };
  const fs::path out =
      fs::temp_directory_path() / fmt::format("nonzero-cachegrind-{}-{}.out", getpid(), products);
  // The portable kernels: an instruction that Valgrind does not know ends the program.
  const std::string command = fmt::format(
      "NONZERO_ISA=portable OMP_NUM_THREADS=1 {} --tool=cachegrind --cache-sim=yes "
      "{} {} --cachegrind-out-file={} {} bench {} --kernels {} --ops N --types f32 --threads 1 "
      "--profile "
      "--products {}",
      for_shell(valgrind.string()), option("D1", caches.first), option("LL", caches.last),
      for_shell(out.string()), for_shell(program.string()), for_shell(matrix), for_shell(kernel),
      products);
  const auto printed = output_of(command);
  std::ostringstream text;
  {
    std::ifstream file(out, std::ios::binary);
    text << file.rdbuf();
  }
  std::error_code ignored;
  fs::remove(out, ignored);
  Run r{cache_counts(text.str()), {}};
  if (r.counts && printed && printed->find("multiplied") != std::string::npos) return r;
  return {{}, "valgrind counted nothing"};
}

}  // namespace

std::optional<CacheCounts> cache_counts(std::string_view file) {
  std::istringstream lines{std::string(file)};
  std::istringstream events, summary;
  std::string caches;
  // "desc: D1 cache:         65536 B, 64 B, 4-way associative"
  const auto add_cache = [&](const std::string& line) {
    const auto text = line.find_first_not_of(' ', line.find(": ", 6) + 1);
    if (text == line.npos) return;
    caches += (caches.empty() ? "" : "; ") + line.substr(6, 2) + " " + line.substr(text);
  };
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("desc: D1") || line.starts_with("desc: LL"))
      add_cache(line);
    else if (line.starts_with("events:"))
      events.str(line.substr(7));
    else if (line.starts_with("summary:"))
      summary.str(line.substr(8));
  std::map<std::string, double> all;
  std::string name, number;
  while (events >> name && summary >> number) {
    char* end = nullptr;
    all[name] = std::strtod(number.c_str(), &end);
    if (*end != '\0') return {};
  }
  for (const char* needed : {"Dr", "Dw", "D1mr", "D1mw", "DLmr", "DLmw"})
    if (!all.contains(needed)) return {};
  return CacheCounts{all["Dr"] + all["Dw"], all["D1mr"] + all["D1mw"], all["DLmr"] + all["DLmw"],
                     caches};
}

CountedCache count_cache(const std::string& matrix, const std::string& kernel, int products,
                         const SimulatedCaches& caches) {
  const fs::path valgrind = find_program("valgrind");
  if (valgrind.empty()) return {{}, "no valgrind"};
  const fs::path program = this_program();
  if (program.empty()) return {{}, "cannot tell which program this is"};
  const Run one = run(valgrind, program, matrix, kernel, 1, caches);
  if (!one.counts) return {{}, one.why_not};
  const Run more = run(valgrind, program, matrix, kernel, 1 + products, caches);
  if (!more.counts) return {{}, more.why_not};
  const auto each = [&](double CacheCounts::*what) {
    return ((*more.counts).*what - (*one.counts).*what) / products;
  };
  return {CacheCounts{each(&CacheCounts::references), each(&CacheCounts::first_misses),
                      each(&CacheCounts::last_misses), one.counts->caches},
          ""};
}

}  // namespace nz::lab
