#pragma once
#include <cstdint>

#include <nonzero/formats/tiles.hpp>

#include "formats/tile_groups.hpp"
#include "simt/warp.hpp"

// The entries of tiles dealt into groups on the device as the host does (formats/tiles.cpp): a warp
// a tile, of which one lane deals, since each entry's group depends on those before it; then all
// write. There are many tiles, and so many lanes that deal.
namespace nz::NZ_HOME {

// The lists a lane needs for a tile, in global memory. The masks are zero before and after.
struct DealScratch {
  std::uint64_t* row;     // side
  std::uint64_t* column;  // side
  std::uint16_t* left;    // tile_most, as all below
  std::uint16_t* order;   // numbers of entries, group by group
  std::uint16_t* runs;
  std::uint8_t* taken;
  std::uint8_t* groups;
};

NZ_DEVICE int dealt_row(std::uint64_t key, int bits) {
  return static_cast<int>(key & ((std::uint64_t{1} << bits) - 1));
}
NZ_DEVICE int dealt_column(std::uint64_t key, int bits) {
  return static_cast<int>((key - (key >> bits)) & ((std::uint64_t{1} << bits) - 1));
}

struct TileDealer {
  const std::uint64_t* keys;  // of the tile's entries; their low bits are dealing_order()
  int n;
  int bits;
  DealScratch to;
  int left = 0, ordered = 0, groups = 0;

  NZ_DEVICE int column(int k) const { return dealt_column(keys[k], bits); }
  NZ_DEVICE int row(int k) const { return dealt_row(keys[k], bits); }

  NZ_DEVICE void deal() {
    left = n;
    for (int k = 0; k < n; ++k) to.left[k] = static_cast<std::uint16_t>(k);
    take_runs(TileGroup::row_run, to.row, [&](int k) { return row(k); });
    take_runs(TileGroup::column_run, to.column, [&](int k) { return column(k); });
    while (left > 0) take_mixed();
  }

  template <class Line>
  NZ_DEVICE void take_runs(TileGroup kind, std::uint64_t* degree, Line&& line) {
    for (int i = 0; i < left; ++i) ++degree[line(to.left[i])];
    int kept = 0, runs = 0;
    for (int i = 0; i < left; ++i) {
      const std::uint16_t k = to.left[i];
      if (becomes_runs(static_cast<std::int64_t>(degree[line(k)]), n))
        to.runs[runs++] = k;
      else
        to.left[kept++] = k;
    }
    for (int i = 0; i < runs; ++i) degree[line(to.runs[i])] = 0;
    for (int i = 0; i < kept; ++i) degree[line(to.left[i])] = 0;
    left = kept;
    // Line by line: at most 16 of a tile become runs.
    const int end = ordered + runs;
    for (int last = -1; ordered < end;) {
      int now = 1 << 16;
      for (int i = 0; i < runs; ++i) {
        const int its = line(to.runs[i]);
        if (its > last && its < now) now = its;
      }
      int size = 0;
      for (int i = 0; i < runs; ++i) {
        if (line(to.runs[i]) != now) continue;
        to.order[ordered++] = to.runs[i];
        if (++size < group_most) continue;
        to.groups[groups++] = tile_group(kind, size);
        size = 0;
      }
      if (size > 0) to.groups[groups++] = tile_group(kind, size);
      last = now;
    }
  }

  // 64 groups of those that are left.
  NZ_DEVICE void take_mixed() {
    GroupMasks masks{to.row, to.column};
    const std::uint64_t wanted = wanted_groups(left);
    for (int i = 0; i < left; ++i) {
      const int k = to.left[i];
      to.taken[i] = static_cast<std::uint8_t>(take_group(masks, row(k), column(k), wanted));
    }
    int next[64];
    for (int g = 0; g < 64; ++g) {
      next[g] = ordered;
      ordered += masks.size[g];
      if (masks.size[g] > 0) to.groups[groups++] = tile_group(TileGroup::mixed, masks.size[g]);
    }
    int kept = 0;
    for (int i = 0; i < left; ++i) {
      const std::uint16_t k = to.left[i];
      to.row[row(k)] = to.column[column(k)] = 0;
      if (to.taken[i] < 64)
        to.order[next[to.taken[i]]++] = k;
      else
        to.left[kept++] = k;
    }
    left = kept;
  }
};

// Bits: of a value.
template <class Bits>
struct DealTiles {
  static constexpr const char* name = "deal tiles into groups";
  static constexpr int max_threads = 128;
  index_t tiles;
  int bits;
  const std::int64_t* first;
  const std::uint64_t* keys;
  const Bits* from;
  std::uint64_t* masks;    // of each warp
  std::uint16_t* numbers;  // likewise
  std::uint8_t* bytes;     // likewise
  std::uint16_t* short_places;
  std::uint16_t* long_rows;
  std::uint16_t* long_columns;
  Bits* values;
  std::uint8_t* groups;  // those of a tile begin where its entries do
  std::int64_t* counts;  // of groups

  static constexpr std::size_t numbers_per_warp = 3 * tile_most, bytes_per_warp = 2 * tile_most;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t worker = t.global_index() / 32, workers = t.global_size() / 32;
    std::uint64_t* const row = masks + (worker << (bits + 1));
    std::uint16_t* const left = numbers + worker * std::int64_t{numbers_per_warp};
    std::uint8_t* const taken = bytes + worker * std::int64_t{bytes_per_warp};
    const DealScratch scratch{row,
                              row + (std::int64_t{1} << bits),
                              left,
                              left + tile_most,
                              left + 2 * tile_most,
                              taken,
                              taken + tile_most};
    for (std::int64_t tile = worker; tile < tiles; tile += workers) {
      const std::int64_t begin = t.load(first + tile);
      const auto n = static_cast<int>(t.load(first + tile + 1) - begin);
      int found = 0;
      if (t.lane() == 0) {
        TileDealer dealer{keys + begin, n, bits, scratch};
        dealer.deal();
        found = dealer.groups;
        counts[tile] = found;
      }
      t.fence();
      t.sync_warp();
      write(t, scratch, begin, t.shuffle(found, 0));
      t.sync_warp();
    }
  }

  // In the order of their ranks.
  NZ_DEVICE void write(Thread& t, const DealScratch& dealt, std::int64_t begin, int n) const {
    int group_to[3] = {}, entry_to[3] = {};  // the next of each rank
    for (int g = t.lane(); g < n; g += 32) {
      const std::uint8_t group = dealt.groups[g];
      const int rank = tile_group_rank(group);
      NZ_UNROLL
      for (int r = 1; r < 3; ++r)
        if (rank < r) {
          ++group_to[r];
          entry_to[r] += tile_group_size(group);
        }
    }
    NZ_UNROLL
    for (int r = 1; r < 3; ++r) {
      group_to[r] = sum_all(t, group_to[r]);
      entry_to[r] = sum_all(t, entry_to[r]);
    }
    int at = 0;
    for (int g = 0; g < n; ++g) {
      const std::uint8_t group = dealt.groups[g];
      const int size = tile_group_size(group), rank = tile_group_rank(group);
      int group_at = 0, to = 0;
      NZ_UNROLL
      for (int r = 0; r < 3; ++r)
        if (rank == r) {
          group_at = group_to[r]++;
          to = entry_to[r];
          entry_to[r] += size;
        }
      if (t.lane() == 0) groups[begin + group_at] = group;
      if (t.lane() < size) write_entry(begin + to + t.lane(), begin + dealt.order[at + t.lane()]);
      at += size;
    }
  }
  NZ_DEVICE void write_entry(std::int64_t to, std::int64_t k) const {
    const int row = dealt_row(keys[k], bits), column = dealt_column(keys[k], bits);
    values[to] = from[k];
    if (bits <= 8) {
      short_places[to] = static_cast<std::uint16_t>(row << 8 | column);
    } else {
      long_rows[to] = static_cast<std::uint16_t>(row);
      long_columns[to] = static_cast<std::uint16_t>(column);
    }
  }
};

}  // namespace nz::NZ_HOME
