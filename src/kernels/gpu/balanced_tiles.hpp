#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <nonzero/device.hpp>

#include "kernels/gpu/long_rows.hpp"

// Equal work for every block, whatever the rows. Rows and entries of a CSR matrix lie on one path
// (a step for the row, one for each of its entries), and a tile has the whole rows that begin on
// its `size` steps: empty rows count too, and no tile gets millions of them. Rows of more than
// `most` entries are left out of the tiles and cut into pieces. So a tile has at most size + most
// entries and shares no row with another; only the pieces of one long row have to be put together.
namespace nz::NZ_HOME {

struct alignas(16) Tile {
  std::int64_t entry;  // the first
  index_t first;       // row
  int rows;            // long ones included
  int entries;         // without those of long rows
  int hole, holes;     // the first of its holes, and how many it has
};

// Where the entries of a long row lie between those of a tile.
struct alignas(16) Hole {
  std::int64_t skip;  // entries of this and earlier holes of the tile
  int at;             // entries of the tile before it
  int row;            // the long row, counted from the tile's first
};

// What a tile is before those without work are dropped.
struct RawTile {
  std::int64_t entry, entries;
  index_t first, rows;
};

template <class O>
struct CutTiles {
  static constexpr const char* name = "cut tiles";
  const O* offsets;
  index_t rows;
  int size;
  int tiles;
  RawTile* cut;
  // The first row that begins on this step or later.
  NZ_DEVICE index_t row_at(std::int64_t step) const {
    index_t low = 0, high = rows;
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (std::int64_t{offsets[middle]} + middle < step)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t tile = t.global_index();
    if (tile >= tiles) return;
    const index_t first = row_at(tile * size), next = row_at((tile + 1) * size);
    const std::int64_t entry = offsets[first];
    cut[tile] = {entry, offsets[next] - entry, first, next - first};
  }
};

class BalancedTiles {
 public:
  // The matrix is on the current device; `longs` are its rows of more than `most` entries.
  template <Value T, Offset O>
  BalancedTiles(const CsrView<T, O>& a, int size, const std::vector<LongRow>& longs) {
    const Device device = current_device();
    const std::int64_t steps = static_cast<std::int64_t>(a.nnz) + a.rows;
    const int count = blocks_for(steps, size);
    if (count == 0) return;
    DeviceArray<RawTile> cut(device, static_cast<std::size_t>(count));
    launch({.blocks = blocks_for(count, 128), .threads = 128},
           CutTiles<O>{a.offsets, a.rows, size, count, cut.data()});
    std::vector<RawTile> raw(static_cast<std::size_t>(count));
    cut.download(raw);
    make_tiles(device, raw, longs);
  }

  int tiles() const { return static_cast<int>(tiles_.size()); }
  const Tile* tile_list() const { return tiles_.data(); }
  const Hole* hole_list() const { return holes_.data(); }
  std::size_t bytes() const { return tiles_.bytes() + holes_.bytes(); }

 private:
  void make_tiles(Device device, const std::vector<RawTile>& raw,
                  const std::vector<LongRow>& longs) {
    std::vector<Tile> all;
    std::vector<Hole> holes;
    auto next = longs.begin();
    for (const RawTile& r : raw) {
      Tile tile{r.entry, r.first, r.rows, 0, static_cast<int>(holes.size()), 0};
      std::int64_t skipped = 0;
      for (; next != longs.end() && next->row < r.first + r.rows; ++next) {
        const auto at = static_cast<int>(next->entry - r.entry - skipped);
        skipped += next->entries;
        holes.push_back({skipped, at, next->row - r.first});
        ++tile.holes;
      }
      tile.entries = static_cast<int>(r.entries - skipped);
      if (tile.rows > tile.holes)
        all.push_back(tile);
      else
        holes.resize(static_cast<std::size_t>(tile.hole));  // nothing, or long rows alone
    }
    tiles_ = {device, std::span<const Tile>(all)};
    holes_ = {device, std::span<const Hole>(holes)};
  }

  DeviceArray<Tile> tiles_;
  DeviceArray<Hole> holes_;
};

}  // namespace nz::NZ_HOME
