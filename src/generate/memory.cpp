#include "generate/memory.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/size_text.hpp"

namespace nz {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double entry_bytes = sizeof(index_t) + sizeof(double);

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
  const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? static_cast<double>(pages) * static_cast<double>(page) : unlimited;
}

// The limit of a control group in either version of the interface; "max" is none.
double group_limit(const char* path) {
  std::ifstream file(path);
  double bytes = 0;
  return read_number(file, bytes) ? bytes : unlimited;
}

}  // namespace

double memory_there() {
  const double bytes = std::min({available(), group_limit("/sys/fs/cgroup/memory.max"),
                                 group_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
  return bytes == unlimited ? 0 : bytes;
}

void require_memory(std::string_view what, double count, double bytes) {
  const double there = memory_there();
  if (there > 0 && count * bytes > there)
    throw NoResource(fmt::format("{:.4g} {} need {}, there are {}", count, what,
                                 size_text(count * bytes), size_text(there)));
}

void require_memory(const MatrixSize& size, std::uint64_t limit) {
  const double there = limit > 0 ? static_cast<double>(limit) : memory_there();
  if (there > 0 && size.bytes > there)
    throw NoResource(fmt::format("{} x {} with {} {:.4g} nonzeros takes {} to make, {} {}",
                                 size.rows, size.cols, size.at_most ? "up to" : "about",
                                 size.nonzeros, size_text(size.bytes),
                                 limit > 0 ? "the limit is" : "there are", size_text(there)));
}

MatrixSize size_by_rows(index_t rows, index_t cols, double nonzeros, double beside) {
  return {rows, cols, nonzeros, false,
          sizeof(std::int64_t) * (rows + 1.0) + entry_bytes * nonzeros + beside};
}

MatrixSize size_by_cells(index_t rows, index_t cols, double cells, bool meet, double beside) {
  // Counts and places of rows, and their lengths after merging; a second matrix when some met.
  const double work = 2.0 * sizeof(std::int64_t) * rows + beside;
  MatrixSize size = size_by_rows(rows, cols, cells, work);
  if (meet) size.bytes += sizeof(std::int64_t) * (rows + 1.0) + entry_bytes * cells;
  size.at_most = meet;
  return size;
}

}  // namespace nz
