#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <nonzero/device.hpp>

#include "kernels/gpu/gpu_product.hpp"

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

struct Piece {
  std::int64_t entry;
  index_t row;
  int entries;
  int first;   // piece of the row
  int pieces;  // of the row
};

struct LongRow {
  std::int64_t entry, entries;
  index_t row;
};

// What a tile is before those without work are dropped.
struct RawTile {
  std::int64_t entry, entries;
  index_t first, rows;
};

template <class O>
struct FindLongRows {
  static constexpr const char* name = "find long rows";
  const O* offsets;
  index_t rows;
  std::int64_t most;
  LongRow* found;
  std::int64_t room;
  unsigned* count;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t r = t.global_index(); r < rows; r += t.global_size()) {
      const std::int64_t entry = offsets[r], entries = offsets[r + 1] - entry;
      if (entries <= most) continue;
      const unsigned at = t.atomic_add(count, 1u);
      if (at < room) found[at] = {entry, entries, static_cast<index_t>(r)};
    }
  }
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
      if (offsets[middle] + middle < step)
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
  // The matrix is on the current device.
  template <Value T, Offset O>
  BalancedTiles(const CsrView<T, O>& a, int size, int most, int piece) {
    const Device device = current_device();
    const std::int64_t steps = static_cast<std::int64_t>(a.nnz) + a.rows;
    const int count = blocks_for(steps, size);
    if (count == 0) return;
    const unsigned none = 0;
    DeviceArray<unsigned> counter(device, std::span(&none, 1));
    const std::int64_t room = a.nnz / (std::int64_t{most} + 1) + 1;  // more do not fit
    DeviceArray<LongRow> found(device,
                               static_cast<std::size_t>(std::min<std::int64_t>(room, a.rows)));
    launch({.blocks = blocks_for(a.rows, 1024, 4096), .threads = 256},
           FindLongRows<O>{a.offsets, a.rows, most, found.data(),
                           static_cast<std::int64_t>(found.size()), counter.data()});
    DeviceArray<RawTile> cut(device, static_cast<std::size_t>(count));
    launch({.blocks = blocks_for(count, 128), .threads = 128},
           CutTiles<O>{a.offsets, a.rows, size, count, cut.data()});
    unsigned long_rows = 0;
    counter.download(std::span(&long_rows, 1));
    std::vector<LongRow> longs(long_rows);
    found.download(longs);
    std::sort(longs.begin(), longs.end(),
              [](const LongRow& l, const LongRow& r) { return l.row < r.row; });
    std::vector<RawTile> raw(static_cast<std::size_t>(count));
    cut.download(raw);
    make_tiles(device, raw, longs);
    make_pieces(device, longs, piece);
  }

  int tiles() const { return static_cast<int>(tiles_.size()); }
  int pieces() const { return static_cast<int>(pieces_.size()); }
  const Tile* tile_list() const { return tiles_.data(); }
  const Hole* hole_list() const { return holes_.data(); }
  const Piece* piece_list() const { return pieces_.data(); }
  // Rows of several pieces exist.
  bool shares() const { return shares_; }
  std::size_t bytes() const { return tiles_.bytes() + holes_.bytes() + pieces_.bytes(); }

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
  void make_pieces(Device device, const std::vector<LongRow>& longs, int piece) {
    std::vector<Piece> all;
    for (const LongRow& r : longs) {
      const std::int64_t pieces = (r.entries + piece - 1) / piece;
      const int first = static_cast<int>(all.size());
      for (std::int64_t p = 0; p < pieces; ++p) {
        const std::int64_t begin = r.entries * p / pieces, end = r.entries * (p + 1) / pieces;
        all.push_back({r.entry + begin, r.row, static_cast<int>(end - begin), first,
                       static_cast<int>(pieces)});
      }
      shares_ = shares_ || pieces > 1;
    }
    pieces_ = {device, std::span<const Piece>(all)};
  }

  DeviceArray<Tile> tiles_;
  DeviceArray<Hole> holes_;
  DeviceArray<Piece> pieces_;
  bool shares_ = false;
};

}  // namespace nz::NZ_HOME
