#include "kernels/row_groups.hpp"

#include <array>

namespace nz {

template <Offset O>
std::vector<index_t> bin_rows(std::span<const O> offsets, std::int64_t size,
                              std::int64_t most_rows) {
  std::vector<index_t> bins = {0};
  std::size_t first = 0;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    const bool over =
        offsets[row] > offsets[first] && std::int64_t{offsets[row + 1]} - offsets[first] > size;
    const bool full = most_rows > 0 && static_cast<std::int64_t>(row - first) >= most_rows;
    if (!over && !full) continue;
    bins.push_back(static_cast<index_t>(row));
    first = row;
  }
  if (offsets.size() > 1) bins.push_back(static_cast<index_t>(offsets.size() - 1));
  return bins;
}

template <Offset O>
RowClasses class_rows(std::span<const O> offsets, std::int64_t short_limit,
                      std::int64_t medium_limit) {
  const std::size_t rows = offsets.size() - 1;
  const auto class_of = [&](std::size_t row) -> std::size_t {
    const std::int64_t length = offsets[row + 1] - offsets[row];
    return length < short_limit ? 0 : length < medium_limit ? 1 : 2;
  };
  std::array<index_t, 3> count{};
  for (std::size_t row = 0; row < rows; ++row) ++count[class_of(row)];
  std::array<std::size_t, 3> next = {0, static_cast<std::size_t>(count[0]),
                                     static_cast<std::size_t>(count[0] + count[1])};
  RowClasses classes{std::vector<index_t>(rows), count[0], count[1], count[2]};
  for (std::size_t row = 0; row < rows; ++row)
    classes.rows[next[class_of(row)]++] = static_cast<index_t>(row);
  return classes;
}

int launch_bounds_for(index_t rows, std::int64_t nnz) {
  const double mean = rows ? static_cast<double>(nnz) / rows : 0;
  return mean < 8 ? 0 : mean > 64 ? 1 : 2;
}

bool dense_rows(index_t rows, std::int64_t nnz, std::int64_t dense_from) {
  return static_cast<double>(nnz) >= static_cast<double>(dense_from) * rows;
}

template std::vector<index_t> bin_rows(std::span<const std::int32_t>, std::int64_t, std::int64_t);
template std::vector<index_t> bin_rows(std::span<const std::int64_t>, std::int64_t, std::int64_t);
template RowClasses class_rows(std::span<const std::int32_t>, std::int64_t, std::int64_t);
template RowClasses class_rows(std::span<const std::int64_t>, std::int64_t, std::int64_t);

}  // namespace nz
