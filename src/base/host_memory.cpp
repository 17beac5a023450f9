#include "base/host_memory.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
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

// The limit of a control group in either version of the interface; "max" is none.
double group_limit(const char* path) {
  std::ifstream file(path);
  double bytes = 0;
  return read_number(file, bytes) ? bytes : unlimited;
}

}  // namespace

double free_host_bytes() {
  const double bytes = std::min({available(), group_limit("/sys/fs/cgroup/memory.max"),
                                 group_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
  return bytes == unlimited ? 0 : bytes;
}

double all_host_bytes() {
  const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? static_cast<double>(pages) * static_cast<double>(page) : 0;
}

}  // namespace nz
