#pragma once
#include <cstdint>

#include <nonzero/formats/tiles.hpp>

// How the entries of a tile are dealt into groups (formats/tiles.hpp). The same rules hold on the
// host and on a GPU.
namespace nz {

inline constexpr int group_most = 32;

// Entries of one place in the grid are cut into tiles and dealt diagonal by diagonal, those that
// wrap around included: then no part has more of a row, or of a column, than of the others, even
// where all cells are full.
constexpr std::uint32_t dealing_order(std::uint32_t row, std::uint32_t column, int bits) {
  return ((row - column) & ((1u << bits) - 1)) << bits | row;
}

// In a tile: full mixed groups, other mixed ones, runs.
constexpr int tile_group_rank(std::uint8_t group) {
  if (tile_group_kind(group) != TileGroup::mixed) return 2;
  return tile_group_size(group) == group_most ? 0 : 1;
}

// A row of a tile that would need more groups than the tile's entries do becomes runs of its own,
// and so does a column.
constexpr bool becomes_runs(std::int64_t degree, std::int64_t entries) {
  const std::int64_t groups = (entries + group_most - 1) / group_most;
  return degree > 4 && degree > 2 * groups;
}

// What is taken in 64 mixed groups at a time, a bit for each: by rows and columns of the tile, by
// the banks of shared memory that those fall into, and by size.
struct GroupMasks {
  std::uint64_t* row;     // side of the tile, zero
  std::uint64_t* column;  // likewise
  std::uint64_t row_bank[32] = {};
  std::uint64_t column_bank[32] = {};
  std::uint64_t full = 0;
  std::uint8_t size[64] = {};
};

// The groups that n entries should do with, and one more: banks are chosen among these.
constexpr std::uint64_t wanted_groups(std::int64_t n) {
  const std::int64_t groups = (n + group_most - 1) / group_most + 1;
  return groups >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << groups) - 1;
}

// The number of the lowest bit that is set. nvcc compiles std::countr_zero for GPUs without a word,
// and what it gives there is not that.
constexpr int lowest_bit(std::uint64_t bits) {
  int at = 0;
  for (int by = 32; by > 0; by /= 2)
    if ((bits & ((std::uint64_t{1} << by) - 1)) == 0) {
      bits >>= by;
      at += by;
    }
  return at;
}

// The group of 64 that takes an entry; 64: none does.
constexpr int take_group(GroupMasks& m, int row, int column, std::uint64_t wanted) {
  const std::uint64_t open = ~(m.row[row] | m.column[column] | m.full);
  if (open == 0) return 64;
  const std::uint64_t apart = open & ~(m.row_bank[row & 31] | m.column_bank[column & 31]) & wanted;
  const int group = lowest_bit(apart != 0 ? apart : open);
  const std::uint64_t bit = std::uint64_t{1} << group;
  m.row[row] |= bit;
  m.column[column] |= bit;
  m.row_bank[row & 31] |= bit;
  m.column_bank[column & 31] |= bit;
  if (++m.size[group] == group_most) m.full |= bit;
  return group;
}

}  // namespace nz
