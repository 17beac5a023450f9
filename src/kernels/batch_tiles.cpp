#include "kernels/batch_tiles.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/instantiate.hpp"

namespace nz {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

}  // namespace

void BatchTilesBuilder::expect(std::int64_t rows, std::int64_t entries) {
  const auto n = static_cast<std::size_t>(entries);
  made_.columns.reserve(n);
  if (op_ == Op::transpose) made_.places.reserve(n);
  const auto tiles = static_cast<std::size_t>((rows + entries) / batch_tile_size + 1);
  made_.tiles.reserve(tiles);
  made_.starts.reserve(static_cast<std::size_t>(rows) + tiles);
}

// A tile that begins with the next row.
void BatchTilesBuilder::open() {
  const std::int64_t entry = made_.entries();
  made_.tiles.push_back({.x = made_.cols,
                         .y = made_.rows,
                         .entry = entry,
                         .value = entry,
                         .start = static_cast<std::int64_t>(made_.starts.size())});
  made_.starts.push_back(0);
}

template <class Length, class Column, class Place>
void BatchTilesBuilder::add_rows(index_t rows, index_t cols, std::int64_t entries, Length&& length,
                                 Column&& column, Place&& place) {
  const std::int64_t first_value = made_.entries();  // all matrices before have all of theirs
  const bool placed = op_ == Op::transpose;
  std::int64_t k = 0;
  for (index_t i = 0; i < rows; ++i) {
    const std::int64_t n = length(i);
    bool fits = !made_.tiles.empty();
    if (fits) {
      const BatchTile& t = made_.tiles.back();
      fits = t.rows + t.entries + 1 + n <= batch_tile_size && made_.cols + cols - t.x <= most &&
             (!placed || first_value + entries - t.value <= most);
    }
    if (!fits) {
      open();
      if (placed) made_.tiles.back().value = first_value;
    }
    BatchTile& t = made_.tiles.back();
    const auto x = static_cast<index_t>(made_.cols - t.x);
    const auto value = static_cast<std::int32_t>(placed ? first_value - t.value : 0);
    for (std::int64_t e = k + n; k < e; ++k) {
      const index_t c = x + column(k);
      made_.last_column = std::max(made_.last_column, c);
      made_.columns.push_back(c);
      if (placed) made_.places.push_back(value + place(k));
    }
    t.rows += 1;
    t.entries += static_cast<std::int32_t>(n);
    made_.starts.push_back(t.entries);
    made_.rows += 1;
  }
  made_.cols += cols;
}

template <Value T, Offset O>
void BatchTilesBuilder::add(const CsrView<T, O>& a) {
  const O base = a.offsets[0];
  const index_t* const columns = a.columns + (a.nnz > 0 ? base : O(0));
  if (op_ == Op::none) {
    add_rows(
        a.rows, a.cols, a.nnz,
        [&](index_t i) { return static_cast<std::int64_t>(a.offsets[i + 1] - a.offsets[i]); },
        [&](std::int64_t k) { return columns[k]; }, [](std::int64_t) { return 0; });
    return;
  }
  // By columns, those of a column in the order of the rows.
  offsets_.assign(static_cast<std::size_t>(a.cols) + 1, 0);
  rows_.resize(static_cast<std::size_t>(a.nnz));
  places_.resize(static_cast<std::size_t>(a.nnz));
  for (O k = 0; k < a.nnz; ++k) ++offsets_[static_cast<std::size_t>(columns[k]) + 1];
  for (std::size_t j = 1; j < offsets_.size(); ++j) offsets_[j] += offsets_[j - 1];
  for (index_t i = 0; i < a.rows; ++i)
    for (O k = a.offsets[i] - base; k < a.offsets[i + 1] - base; ++k) {
      const auto to = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(columns[k])]++);
      rows_[to] = i;
      places_[to] = static_cast<std::int32_t>(k);
    }
  // Each offset is now where the next column begins.
  add_rows(
      a.cols, a.rows, a.nnz,
      [&](index_t j) {
        const auto at = static_cast<std::size_t>(j);
        return std::int64_t{offsets_[at]} - (j > 0 ? offsets_[at - 1] : 0);
      },
      [&](std::int64_t k) { return rows_[static_cast<std::size_t>(k)]; },
      [&](std::int64_t k) { return places_[static_cast<std::size_t>(k)]; });
}

BatchTiles BatchTilesBuilder::take() { return std::move(made_); }

#define NZ_INSTANTIATE(T, O) template void BatchTilesBuilder::add(const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
