#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

// How a batch of matrices is stored: as the one matrix that has them on its diagonal, with columns
// that count from where a tile's part of x begins, so that they stay small.
namespace nz {

// Whole rows that are multiplied together: by a block of a GPU, or one after the other on a CPU. A
// tile has rows of several matrices where these are small; a row that is longer than a tile has one
// of its own.
struct BatchTile {
  std::int64_t x = 0;      // where its columns begin to count
  std::int64_t y = 0;      // its first row
  std::int64_t entry = 0;  // its first entry
  std::int64_t value = 0;  // of that entry; with places: where these begin to count
  std::int64_t start = 0;  // of its rows, in `starts`
  std::int32_t rows = 0, entries = 0;
};

// Rows and entries of a tile, together.
inline constexpr int batch_tile_size = 1024;

struct BatchTiles {
  std::vector<BatchTile> tiles;
  std::vector<std::int32_t> starts;  // rows + 1 of each tile, the first 0
  std::vector<index_t> columns;
  std::vector<std::int32_t> places;  // of values; empty: they follow each other
  std::int64_t rows = 0, cols = 0;
  index_t last_column = 0;  // the largest number in `columns`

  std::int64_t entries() const { return static_cast<std::int64_t>(columns.size()); }
  std::size_t bytes() const {
    return tiles.size() * sizeof(BatchTile) +
           (starts.size() + columns.size() + places.size()) * sizeof(std::int32_t);
  }
};

// Makes tiles of one matrix after another, all of them as they are or all of them transposed. A
// transposed matrix keeps its values where they are: an entry's place says where.
class BatchTilesBuilder {
 public:
  explicit BatchTilesBuilder(Op op) : op_(op) {}
  void expect(std::int64_t rows, std::int64_t entries);
  // The structure alone counts: its offsets may begin anywhere, and are right.
  template <Value T, Offset O>
  void add(const CsrView<T, O>& a);
  BatchTiles take();

 private:
  template <class Length, class Column, class Place>
  void add_rows(index_t rows, index_t cols, std::int64_t entries, Length&& length, Column&& column,
                Place&& place);
  void open();

  Op op_;
  BatchTiles made_;
  std::vector<std::int32_t> offsets_, rows_, places_;  // of one matrix transposed
};

}  // namespace nz
