#pragma once
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nonzero/dense.hpp>
#include <nonzero/error.hpp>
#include <nonzero/types.hpp>

#include "plan/overlap.hpp"

// What is wrong with several vectors, a DenseView or a WideDenseView, said before anything is read.
namespace nz {

template <class View>
void check_shape(std::string_view which, const View& v, std::int64_t rows) {
  if (v.rows() != rows)
    throw InvalidArgument(fmt::format("{} has {} rows, needs {}", which, v.rows(), rows));
  if (v.columns() < 0) throw InvalidArgument(fmt::format("{} has {} columns", which, v.columns()));
  // Counts of columns are rounded up to whole packs, and the last place must have a number.
  constexpr index_t most_columns = std::numeric_limits<index_t>::max() - 1024;
  constexpr std::int64_t most_places = std::numeric_limits<std::int64_t>::max() / 4;
  const bool by_rows = v.layout() == Layout::row_major;
  const std::int64_t lines = by_rows ? std::int64_t{v.rows()} : std::int64_t{v.columns()};
  if (v.columns() > most_columns || (lines > 0 && v.leading() > most_places / lines))
    throw InvalidArgument(fmt::format("{} has {} columns and a leading dimension of {}", which,
                                      v.columns(), v.leading()));
  const std::int64_t least = by_rows ? std::int64_t{v.columns()} : std::int64_t{v.rows()};
  if (v.leading() < least)
    throw InvalidArgument(fmt::format("{} is stored {} of {} elements, {} apart", which,
                                      by_rows ? "by rows" : "by columns", least, v.leading()));
}

// X and Y of a matrix of rows x cols.
template <class X, class Y>
void check_several(const X& x, const Y& y, std::int64_t rows, std::int64_t cols, Op op) {
  if (is_transposed(op)) std::swap(rows, cols);
  check_shape("X", x, cols);
  check_shape("Y", y, rows);
  if (x.columns() != y.columns())
    throw InvalidArgument(fmt::format("X has {} columns, Y {}", x.columns(), y.columns()));
  if (!x.data() && x.extent() > 0) throw InvalidArgument("X is a null pointer");
  if (!y.data() && y.extent() > 0) throw InvalidArgument("Y is a null pointer");
  if (meet(x.data(), x.extent(), y.data(), y.extent())) throw InvalidArgument("X and Y overlap");
}

}  // namespace nz
