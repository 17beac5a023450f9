#include "formats/checks.hpp"

#include <fmt/format.h>
#include <nonzero/error.hpp>

namespace nz {

void check_shape(const char* format, index_t rows, index_t cols) {
  if (rows < 0 || cols < 0)
    throw BadInput(fmt::format("{}: negative shape {} x {}", format, rows, cols));
}

void check_size(const char* format, const char* array, std::size_t have, std::size_t need) {
  if (have != need)
    throw BadInput(fmt::format("{}: {} has {} elements, needs {}", format, array, have, need));
}

template <Offset O>
void check_offsets(const char* format, const char* line, const O* offsets, index_t lines,
                   std::int64_t total) {
  check_long_offsets(format, line, offsets, std::int64_t{lines}, total);
}

template <Offset O>
void check_long_offsets(const char* format, const char* line, const O* offsets, std::int64_t lines,
                        std::int64_t total) {
  if (offsets[0] != 0)
    throw BadInput(fmt::format("{}: offsets start at {}, not 0", format, offsets[0]));
  check_each(lines, [&](std::int64_t i) {
    if (offsets[i + 1] < offsets[i])
      throw BadInput(fmt::format("{}: {} {} ends at {}, before its start {} (counting from 0)",
                                 format, line, i, offsets[i + 1], offsets[i]));
  });
  if (offsets[lines] != total)
    throw BadInput(fmt::format("{}: offsets end at {}, but there are {} entries", format,
                               offsets[lines], total));
}

namespace {

template <bool Increasing, class O>
void walk_columns(const char* format, const char* line, const O* offsets, const index_t* columns,
                  index_t lines, index_t limit) {
  check_each(lines, [&](index_t i) {
    for (O k = offsets[i]; k < offsets[i + 1]; ++k) {
      if (columns[k] < 0 || columns[k] >= limit)
        throw BadInput(
            fmt::format("{}: {} {}, entry {}: index {} is outside 0 to {} (counting from 0)",
                        format, line, i, k, columns[k], limit - 1));
      if (Increasing && k > offsets[i] && columns[k] <= columns[k - 1])
        throw BadInput(
            fmt::format("{}: {} {}, entry {}: index {} does not follow {} (counting from 0)",
                        format, line, i, k, columns[k], columns[k - 1]));
    }
  });
}

}  // namespace

template <Offset O>
void check_column_range(const char* format, const char* line, const O* offsets,
                        const index_t* columns, index_t lines, index_t limit) {
  walk_columns<false>(format, line, offsets, columns, lines, limit);
}

template <Offset O>
void check_columns(const char* format, const char* line, const O* offsets, const index_t* columns,
                   index_t lines, index_t limit) {
  walk_columns<true>(format, line, offsets, columns, lines, limit);
}

void check_indices(const char* format, index_t rows, index_t cols, std::span<const index_t> row,
                   std::span<const index_t> column) {
  check_shape(format, rows, cols);
  check_each(row.size(), [&](std::size_t k) {
    if (row[k] < 0 || row[k] >= rows)
      throw BadInput(fmt::format("{}: entry {}: row {} is outside 0 to {} (counting from 0)",
                                 format, k, row[k], rows - 1));
    if (column[k] < 0 || column[k] >= cols)
      throw BadInput(fmt::format("{}: entry {}: column {} is outside 0 to {} (counting from 0)",
                                 format, k, column[k], cols - 1));
  });
}

void check_entries(const char* format, std::int64_t entries, std::int64_t found,
                   std::int64_t slots) {
  if (entries < found || entries > slots)
    throw BadInput(fmt::format("{}: {} entries recorded, but {} values of {} are not zero", format,
                               entries, found, slots));
}

void check_entries(const char* format, std::int64_t entries, std::int64_t found) {
  if (entries != found)
    throw BadInput(fmt::format("{}: {} entries recorded, but {} stored", format, entries, found));
}

void require_positive(const char* format, const char* what, index_t value) {
  if (value < 1) throw InvalidArgument(fmt::format("{}: {} is {}, below 1", format, what, value));
}

std::size_t require_ratio(const char* format, std::int64_t count, std::int64_t size,
                          std::int64_t nnz, double max_ratio, const std::string& detail) {
  constexpr double most = 1LL << 60;  // far beyond memory, and exact in 64 bits
  const double slots = static_cast<double>(count) * static_cast<double>(size);
  if (slots == 0) return 0;
  if (slots > most || !(slots <= max_ratio * static_cast<double>(nnz)))
    throw Refused(fmt::format("{}: {:.4g} slots a nonzero ({}), limit {:.6g}", format,
                              slots / static_cast<double>(nnz), detail, max_ratio));
  return static_cast<std::size_t>(count * size);
}

std::size_t require_block_ratio(std::int64_t blocks, index_t block_rows, index_t block_cols,
                                std::int64_t nnz, double max_ratio) {
  return require_ratio("BSR", blocks, std::int64_t{block_rows} * block_cols, nnz, max_ratio,
                       fmt::format("{} blocks of {} x {}", blocks, block_rows, block_cols));
}

#define NZ_INSTANTIATE(O)                                                                       \
  template void check_offsets(const char*, const char*, const O*, index_t, std::int64_t);       \
  template void check_long_offsets(const char*, const char*, const O*, std::int64_t,            \
                                   std::int64_t);                                               \
  template void check_column_range(const char*, const char*, const O*, const index_t*, index_t, \
                                   index_t);                                                    \
  template void check_columns(const char*, const char*, const O*, const index_t*, index_t, index_t);
NZ_INSTANTIATE(std::int32_t)
NZ_INSTANTIATE(std::int64_t)

}  // namespace nz
