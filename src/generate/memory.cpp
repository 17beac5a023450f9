#include "generate/memory.hpp"

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/host_memory.hpp"
#include "base/size_text.hpp"

namespace nz {
namespace {

constexpr double entry_bytes = sizeof(index_t) + sizeof(double);

}  // namespace

void require_memory(std::string_view what, double count, double bytes) {
  const double there = free_host_bytes();
  if (there > 0 && count * bytes > there)
    throw NoResource(fmt::format("{:.4g} {} need {}, there are {}", count, what,
                                 size_text(count * bytes), size_text(there)));
}

void require_memory(const MatrixSize& size, std::uint64_t limit) {
  const double there = limit > 0 ? static_cast<double>(limit) : free_host_bytes();
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
