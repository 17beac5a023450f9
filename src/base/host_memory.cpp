#include "base/host_memory.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace nz {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Whatever the locale of the program: a stream would read numbers as people write them there.
bool read_number(std::ifstream& file, double& number) {
  std::string word;
  return file >> word &&
         std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc();
}

// "MemAvailable:  123456 kB": what can be had without swapping, caches of files included.
double available() {
  std::ifstream file("/proc/meminfo");
  double kibibytes = 0;
  for (std::string word; file >> word;)
    if (word == "MemAvailable:" && read_number(file, kibibytes)) return kibibytes * 1024;
  const double all = all_host_bytes();
  return all > 0 ? all : unlimited;
}

// A number that is alone in its file, or behind a word; nothing where there is none, as for "max".
double number_in(const std::string& path, std::string_view behind = {}) {
  std::ifstream file(path);
  double number = 0;
  std::string word;
  if (!behind.empty())
    while (file >> word && word != behind) {
    }
  return read_number(file, number) ? number : unlimited;
}

// The control group of this process, in either version of the interface: what it may have, and
// what of that is left. Files that it has read are no use of memory: they go where it is needed.
struct Group {
  double limit = unlimited, left = unlimited;
};
Group group(const std::string& folder, const char* limit, const char* usage, const char* files) {
  Group g;
  g.limit = number_in(folder + limit);
  if (g.limit == unlimited) return g;
  const double used = number_in(folder + usage), read = number_in(folder + "memory.stat", files);
  g.left = g.limit;
  if (used != unlimited) g.left -= std::max(0.0, used - (read == unlimited ? 0 : read));
  g.left = std::max(g.left, 1.0);
  return g;
}
Group group_of_process() {
  const Group one = group("/sys/fs/cgroup/", "memory.max", "memory.current", "inactive_file"),
              two = group("/sys/fs/cgroup/memory/", "memory.limit_in_bytes",
                          "memory.usage_in_bytes", "total_inactive_file");
  return {std::min(one.limit, two.limit), std::min(one.left, two.left)};
}

}  // namespace

double free_host_bytes() {
  const double bytes = std::min(available(), group_of_process().left);
  return bytes == unlimited ? 0 : bytes;
}

double all_host_bytes() {
  const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  const double all =
      pages > 0 && page > 0 ? static_cast<double>(pages) * static_cast<double>(page) : unlimited;
  const double bytes = std::min(all, group_of_process().limit);
  return bytes == unlimited ? 0 : bytes;
}

}  // namespace nz
