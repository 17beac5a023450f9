#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <nonzero/formats/tiles.hpp>

// How large tiles are, wherever the matrix lies (formats/tiles.hpp).
namespace nz {

// The entries of one strip counted by columns of tiles: those with entries, from left to right.
class StripCounts {
 public:
  explicit StripCounts(index_t grid_cols) : at_(static_cast<std::size_t>(grid_cols), 0) {}

  void count(std::span<const index_t> columns, int bits) {
    for (const index_t j : columns_) at_[static_cast<std::size_t>(j)] = 0;
    columns_.clear();
    for (const index_t column : columns) {
      const index_t j = column >> bits;
      if (at_[static_cast<std::size_t>(j)]++ == 0) columns_.push_back(j);
    }
    std::sort(columns_.begin(), columns_.end());
  }
  const std::vector<index_t>& columns() const { return columns_; }
  std::int64_t& at(index_t j) { return at_[static_cast<std::size_t>(j)]; }

 private:
  std::vector<std::int64_t> at_;
  std::vector<index_t> columns_;
};

// Tiles of 2^bits that at least so many entries share are worth their headers.
constexpr double enough_entries(int bits) { return bits <= 8 ? 24 : 512; }

// columns_of(begin, end): the columns of the entries of these rows, in host memory.
template <class ColumnsOf>
double entries_per_tile(index_t rows, index_t cols, int bits, ColumnsOf&& columns_of) {
  const TilesView<double> grid{.rows = rows, .cols = cols, .side_bits = bits};
  // Some strips, evenly spread, are enough to tell.
  const index_t strips = grid.grid_rows(), looked_at = std::min<index_t>(strips, 64);
  StripCounts counts(grid.grid_cols());
  double entries = 0, tiles = 0;
  for (index_t i = 0; i < looked_at; ++i) {
    const auto s = static_cast<index_t>(std::int64_t{strips} * i / looked_at);
    const index_t begin = s << bits;
    const std::span<const index_t> columns =
        columns_of(begin, begin + std::min(grid.side(), rows - begin));
    counts.count(columns, bits);
    entries += static_cast<double>(columns.size());
    tiles += static_cast<double>(counts.columns().size());
  }
  return tiles == 0 ? 0 : entries / tiles;
}

template <class ColumnsOf>
int side_bits_by_entries(index_t rows, index_t cols, int most_bits, ColumnsOf&& columns_of) {
  int bits = 8;
  while (bits < most_bits && std::max(rows, cols) > (index_t{1} << bits) &&
         entries_per_tile(rows, cols, bits, columns_of) < enough_entries(bits))
    bits = bits == 8 ? 11 : bits + 1;
  return bits;
}

constexpr std::int64_t pieces_of_tile(std::int64_t n, std::int64_t limit) {
  return (n + limit - 1) / limit;
}

// Refused where an index cannot count so many tiles.
index_t require_tiles(std::int64_t tiles);

}  // namespace nz
