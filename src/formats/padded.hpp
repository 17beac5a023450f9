#pragma once
#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/types.hpp>

// What ELL and SELL share: a row of slots, `stride` apart, entries first, then padding.
namespace nz {

inline constexpr index_t padding = -1;

template <Value T>
struct PaddedRow {
  const index_t* columns;
  const T* values;
  std::size_t stride;
  index_t width;

  index_t length() const {
    index_t n = 0;
    while (n < width && columns[static_cast<std::size_t>(n) * stride] != padding) ++n;
    return n;
  }
  void copy_to(index_t* to_columns, T* to_values) const {
    for (index_t s = 0; s < width; ++s) {
      const std::size_t at = static_cast<std::size_t>(s) * stride;
      if (columns[at] == padding) return;
      to_columns[s] = columns[at];
      to_values[s] = values[at];
    }
  }

  // Throws BadInput; returns the row's length.
  index_t check(const char* format, index_t row, index_t cols) const {
    const auto fail = [&](index_t s, const std::string& what) {
      throw BadInput(
          fmt::format("{}: row {}, slot {}: {} (counting from 0)", format, row, s, what));
    };
    index_t n = 0, before = padding;
    for (index_t s = 0; s < width; ++s) {
      const std::size_t at = static_cast<std::size_t>(s) * stride;
      const index_t j = columns[at];
      if (j == padding) {
        if (values[at] != T(0)) fail(s, fmt::format("padding has value {}", values[at]));
        continue;
      }
      if (j < 0 || j >= cols) fail(s, fmt::format("index {} is outside 0 to {}", j, cols - 1));
      if (n != s) fail(s, fmt::format("index {} stands after padding", j));
      if (j <= before) fail(s, fmt::format("index {} does not follow {}", j, before));
      before = j;
      ++n;
    }
    return n;
  }
};

}  // namespace nz
