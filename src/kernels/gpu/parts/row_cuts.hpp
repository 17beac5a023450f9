#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

#include "simt/launch_sizes.hpp"
#include "simt/warp.hpp"
#include "kernels/gpu/parts/search.hpp"

// Rows of a CSR matrix cut into tiles, and those of more than `most` entries into pieces, all on
// the device: where no row is long, two launches and one wait, for their numbers. This is most of
// what an instant plan costs.
namespace nz::NZ_HOME {

// Part of a long row.
struct Piece {
  std::int64_t entry;
  index_t row;
  int entries;
  int first;   // piece of the row
  int pieces;  // of the row
};

struct alignas(16) Tile {
  std::int64_t entry;  // the first
  index_t first;       // row
  int rows;            // long ones included
  int entries;         // without those of long rows
  int gap, gaps;       // the first of its gaps; how many it has
  int pieces;          // of its long rows
};

// The same while they are counted: in the place of the first gap the entries of its longest row, of
// the long ones, or as many as an int can count.
NZ_HOST_DEVICE int longest_of(const Tile& counted) { return counted.gap; }

// The same, once all are counted: where what it has goes.
struct alignas(16) NumberedTile {
  std::int64_t entry;
  index_t first;
  int rows;
  int gaps;
  int tile, gap, piece;  // so many of each come before
};

// Of all tiles.
struct TileTotals {
  int tiles;  // that have work: rows that are not long
  int longs, pieces;
  int longest;  // entries of a row, of those that are long, or as many as an int can count
};

// An element of the list that they share: numbers take the place of counts, where they are wanted
// at all, and the totals are behind the last tile.
union CutTile {
  Tile counted;
  NumberedTile numbered;
  TileTotals totals;
};
static_assert(sizeof(CutTile) == sizeof(Tile), "a list of counted tiles is a list of tiles");

// Where the entries of a long row lie between those of a tile.
struct alignas(16) LongRowGap {
  std::int64_t skip;  // entries of this and earlier gaps of the tile
  int at;             // entries of the tile before it
  int row;            // the long row, counted from the tile's first
};

// The gaps of a tile, in the list of all.
struct TileGaps {
  const LongRowGap* list;
  int first, n;

  // Where the tile's i-th entry lies, counted from its first.
  NZ_DEVICE std::int64_t place(int i) const {
    std::int64_t at = i;
    for (int h = 0; h < n; ++h)
      if (i >= list[first + h].at) at = i + list[first + h].skip;
    return at;
  }
  // Where a row begins among the entries of the tile, of one that lies so far behind the tile's
  // first entry; with this mark where the row is long.
  NZ_DEVICE int start(std::int64_t behind, int row, int mark) const {
    std::int64_t skip = 0;
    int its = 0;
    for (int h = 0; h < n; ++h) {
      const LongRowGap gap = list[first + h];
      if (row > gap.row) skip = gap.skip;
      if (row == gap.row) its = mark;
    }
    return static_cast<int>(behind - skip) | its;
  }
};

// How to cut. Rows and entries lie on one path (a step for the row, one for each of its entries),
// and a tile has the rows that begin on its `size` steps; or, for who needs the pieces only, `size`
// rows.
template <class O>
struct RowCut {
  const O* offsets;
  index_t rows;
  std::int64_t most;
  int piece, size, tiles;
  bool by_steps;

  NZ_DEVICE index_t begin_of(std::int64_t tile) const {
    if (by_steps) return row_at(tile * size);
    return tile * size < rows ? static_cast<index_t>(tile * size) : rows;
  }
  NZ_DEVICE std::int64_t pieces_of(std::int64_t entries) const {
    return (entries + piece - 1) / piece;
  }

 private:
  // The first row that begins on this step or later.
  NZ_DEVICE index_t row_at(std::int64_t step) const {
    return partition_point(index_t{0}, rows,
                           [&](index_t r) { return std::int64_t{offsets[r]} + r < step; });
  }
};

// A warp a tile: counts its long rows and their pieces, and the entries of the longest.
template <class O>
struct CutTiles {
  static constexpr const char* name = "cut tiles";
  RowCut<O> cut;
  CutTile* tiles;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t tile = t.global_index() / 32;
    if (tile >= cut.tiles) return;
    const index_t bound = cut.begin_of(tile + (t.lane() > 0));
    const index_t first = t.shuffle(bound, 0), next = t.shuffle(bound, 1);
    int longs = 0, pieces = 0, longest = 0;
    std::int64_t skipped = 0;
    for (index_t r = first + t.lane(); r < next; r += 32) {
      const std::int64_t entries = t.load(cut.offsets + r + 1) - t.load(cut.offsets + r);
      if (entries <= cut.most) continue;
      ++longs;
      pieces += static_cast<int>(cut.pieces_of(entries));
      skipped += entries;
      const int most = std::numeric_limits<int>::max();
      const int its = entries < most ? static_cast<int>(entries) : most;
      if (its > longest) longest = its;
    }
    longest = max_all(t, longest);
    longs = reduce_to_first_lane(t, longs);
    pieces = reduce_to_first_lane(t, pieces);
    skipped = reduce_to_first_lane(t, skipped);
    if (t.lane() != 0) return;
    const std::int64_t entry = t.load(cut.offsets + first);
    const std::int64_t entries = t.load(cut.offsets + next) - entry - skipped;
    tiles[tile].counted = {entry,   first, next - first, static_cast<int>(entries),
                           longest, longs, pieces};
  }
};

// One block: the totals go behind the last tile. Where they are not simply all tiles and no long
// row, the counted tiles become numbered ones.
struct NumberTiles {
  static constexpr const char* name = "number tiles";
  int tiles;
  CutTile* list;

  NZ_DEVICE static void add(TileTotals& s, const Tile& tile) {
    s.tiles += tile.rows > tile.gaps;
    s.longs += tile.gaps;
    s.pieces += tile.pieces;
    if (longest_of(tile) > s.longest) s.longest = longest_of(tile);
  }
  static std::size_t shared_bytes(int threads) {
    return 4 * sizeof(int) * static_cast<std::size_t>(threads / 32);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<int> of_warps = t.shared<int>(4 * t.warps());
    const int each = (tiles + t.block_size() - 1) / t.block_size();
    const int begin = each * t.index() < tiles ? each * t.index() : tiles;
    const int end = begin + each < tiles ? begin + each : tiles;
    TileTotals mine{};
    NZ_UNROLL_BY(4)
    for (int i = begin; i < end; ++i) add(mine, list[i].counted);
    const TileTotals with{inclusive_sum(t, mine.tiles), inclusive_sum(t, mine.longs),
                          inclusive_sum(t, mine.pieces), max_all(t, mine.longest)};
    if (t.lane() == 31) {
      of_warps[4 * t.warp()] = with.tiles;
      of_warps[4 * t.warp() + 1] = with.longs;
      of_warps[4 * t.warp() + 2] = with.pieces;
      of_warps[4 * t.warp() + 3] = with.longest;
    }
    t.sync();
    TileTotals all{},
        before{with.tiles - mine.tiles, with.longs - mine.longs, with.pieces - mine.pieces, 0};
    for (int w = 0; w < t.warps(); ++w) {
      const int a = of_warps[4 * w], b = of_warps[4 * w + 1], c = of_warps[4 * w + 2];
      const int longest = of_warps[4 * w + 3];
      all = {all.tiles + a, all.longs + b, all.pieces + c,
             longest > all.longest ? longest : all.longest};
      if (w < t.warp()) before = {before.tiles + a, before.longs + b, before.pieces + c, 0};
    }
    if (t.index() == 0) list[tiles].totals = all;
    if (all.tiles == tiles && all.longs == 0) return;
    NZ_ROLLED
    for (int i = begin; i < end; ++i) {
      const Tile was = list[i].counted;
      list[i].numbered = {was.entry,    was.first,    was.rows,     was.gaps,
                          before.tiles, before.longs, before.pieces};
      add(before, was);
    }
  }
};

// A warp a tile, once they are numbered: writes those that have work, their gaps, and all pieces.
template <class O>
struct WriteCuts {
  static constexpr const char* name = "write tiles and pieces";
  RowCut<O> cut;
  const CutTile* list;
  Tile* tiles;  // null: pieces only
  LongRowGap* gaps;
  Piece* pieces;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t i = t.global_index() / 32;
    if (i >= cut.tiles) return;
    const NumberedTile tile = list[i].numbered;
    int gap = tile.gap, piece = tile.piece;
    std::int64_t skipped = 0;
    for (int base = 0; tile.gaps > 0 && base < tile.rows; base += 32) {
      const int r = base + t.lane();
      const std::int64_t begin = r < tile.rows ? t.load(cut.offsets + tile.first + r) : 0;
      const std::int64_t n = r < tile.rows ? t.load(cut.offsets + tile.first + r + 1) - begin : 0;
      for (unsigned left = t.ballot(n > cut.most); left != 0; left &= left - 1) {
        const int lane = lowest(left);
        const std::int64_t entry = t.shuffle(begin, lane), entries = t.shuffle(n, lane);
        const int at = static_cast<int>(entry - tile.entry - skipped);
        skipped += entries;
        if (tiles && t.lane() == 0) gaps[gap] = {skipped, at, base + lane};
        ++gap;
        piece += write_pieces(t, tile.first + base + lane, entry, entries, piece);
      }
    }
    if (!tiles || t.lane() != 0 || tile.rows == tile.gaps) return;
    const std::int64_t end = t.load(cut.offsets + tile.first + tile.rows);
    tiles[tile.tile] = {
        tile.entry, tile.first, tile.rows,         static_cast<int>(end - tile.entry - skipped),
        tile.gap,   tile.gaps,  piece - tile.piece};
  }

 private:
  // Returns how many.
  NZ_DEVICE int write_pieces(Thread& t, index_t row, std::int64_t entry, std::int64_t entries,
                             int first) const {
    const std::int64_t n = cut.pieces_of(entries);
    for (std::int64_t p = t.lane(); p < n; p += 32) {
      const std::int64_t begin = entries * p / n, end = entries * (p + 1) / n;
      pieces[first + p] = {entry + begin, row, static_cast<int>(end - begin), first,
                           static_cast<int>(n)};
    }
    return static_cast<int>(n);
  }
};

// Tiles that are cut and numbered.
template <class O>
class RowCuts {
 public:
  explicit RowCuts(const RowCut<O>& cut) : cut_(cut) {
    if (cut.tiles == 0) return;
    const Device device = current_device();
    list_ = {device, static_cast<std::size_t>(cut.tiles) + 1};
    launch({.blocks = blocks_for(cut.tiles, 4), .threads = 128}, CutTiles<O>{cut, list_.data()});
    const int threads = threads_for(cut.tiles, 1024);
    launch({.blocks = 1, .threads = threads, .shared_bytes = NumberTiles::shared_bytes(threads)},
           NumberTiles{cut.tiles, list_.data()});
    detail::device_copy(device, &totals_, &list_.data()[cut.tiles].totals, sizeof totals_, {});
  }

  const TileTotals& totals() const { return totals_; }
  // All have work, and no row is long: the counted tiles are what they shall be.
  bool plain() const { return totals_.tiles == cut_.tiles && totals_.longs == 0; }
  DeviceArray<CutTile> take() { return std::move(list_); }

  // Only queues.
  void write(Tile* tiles, LongRowGap* gaps, Piece* pieces) const {
    launch({.blocks = blocks_for(cut_.tiles, 4), .threads = 128},
           WriteCuts<O>{cut_, list_.data(), tiles, gaps, pieces});
  }

 private:
  RowCut<O> cut_;
  DeviceArray<CutTile> list_;
  TileTotals totals_{};
};

}  // namespace nz::NZ_HOME
