#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Square tiles for A and its transpose from one copy, a successor of izawa2023's GCSB. The matrix
// is cut into a grid of tiles with `side` rows and columns, a power of 2; only those with entries
// are stored, row of tiles by row of tiles, and a list has their numbers column by column. A tile
// of more entries than tile_limit() is stored as several, one behind the other.
//
// The entries of a tile lie in groups of at most 32, of three kinds. In a mixed group no two have
// the same row and no two the same column; where they can, they also use each bank of shared memory
// once. So 32 lanes can add a group's products to sums in shared memory, those of rows or those of
// columns, without meeting each other: no atomics, always in the same order, and the transposed
// product is the same work as the plain one. A run has one row, or one column: the lanes' products
// are added to each other first where they meet. Rows and columns that would need too many mixed
// groups are stored as runs. Full mixed groups come first, then other mixed ones, then runs.
// Nothing is padded: `group` has each one's kind and size.
//
// An entry's place in its tile is row << 8 | column in 16 bits where side <= 256; otherwise row and
// column have 16 bits each, in arrays of their own: a kernel reads one after the other.
template <RealValue T>
struct TilesView {
  using value_type = T;
  index_t rows = 0;
  index_t cols = 0;
  int side_bits = 8;
  index_t tiles = 0;
  std::int64_t nnz = 0;
  std::int64_t groups = 0;
  const index_t* row_starts = nullptr;     // grid_rows() + 1: the first tile of each row of tiles
  const index_t* column_starts = nullptr;  // grid_cols() + 1: likewise in by_column
  const index_t* by_column = nullptr;      // tiles: their numbers, column by column
  const index_t* tile_row = nullptr;       // tiles: place in the grid
  const index_t* tile_column = nullptr;    // tiles
  const std::int64_t* first = nullptr;     // tiles + 1: entry
  const std::int64_t* first_group = nullptr;    // tiles + 1
  const std::uint8_t* group = nullptr;          // groups: kind << 5 | size - 1
  const std::uint16_t* short_places = nullptr;  // nnz, where side <= 256
  const std::uint16_t* long_rows = nullptr;     // nnz, otherwise
  const std::uint16_t* long_columns = nullptr;  // likewise
  const T* values = nullptr;                    // nnz

  constexpr index_t side() const { return index_t{1} << side_bits; }
  constexpr bool is_short() const { return side_bits <= 8; }
  constexpr index_t grid_rows() const { return lines_of(rows); }
  constexpr index_t grid_cols() const { return lines_of(cols); }
  constexpr std::size_t place_bytes() const { return is_short() ? 2 : 4; }
  constexpr std::size_t bytes() const {
    const auto n = static_cast<std::size_t>(nnz), t = static_cast<std::size_t>(tiles);
    return n * (sizeof(T) + place_bytes()) + static_cast<std::size_t>(groups) +
           t * 3 * sizeof(index_t) + 2 * (t + 1) * sizeof(std::int64_t) +
           (static_cast<std::size_t>(grid_rows()) + static_cast<std::size_t>(grid_cols()) + 2) *
               sizeof(index_t);
  }

 private:
  constexpr index_t lines_of(index_t n) const {
    return (n >> side_bits) + ((n & (side() - 1)) != 0);
  }
};
static_assert(std::is_trivially_copyable_v<TilesView<double>>);

template <RealValue T>
struct Tiles {
  index_t rows = 0;
  index_t cols = 0;
  int side_bits = 8;
  Array<index_t> row_starts, column_starts, by_column, tile_row, tile_column;
  Array<std::int64_t> first, first_group;
  Array<std::uint8_t> group;
  Array<std::uint16_t> short_places, long_rows, long_columns;
  Array<T> values;

  std::int64_t nnz() const { return static_cast<std::int64_t>(values.size()); }
  std::size_t bytes() const { return view().bytes(); }
  TilesView<T> view() const;

  // Throws BadInput naming the first tile, group or entry that breaks the format.
  void validate() const;

  friend bool operator==(const Tiles&, const Tiles&) = default;
};

enum class TileGroup : std::uint8_t { mixed, row_run, column_run };
constexpr std::uint8_t tile_group(TileGroup kind, int size) {
  return static_cast<std::uint8_t>(static_cast<int>(kind) << 5 | (size - 1));
}
constexpr TileGroup tile_group_kind(std::uint8_t group) {
  return static_cast<TileGroup>(group >> 5);
}
constexpr int tile_group_size(std::uint8_t group) { return (group & 31) + 1; }

inline constexpr int tiles_most_side_bits = 15;
inline constexpr int tiles_rule_side_bits = 14;  // the most that tiles_side_bits() takes by itself

// The most entries of a tile. Small matrices are cut finer, so that there is work for many.
inline constexpr int tile_most = 1 << 12;
constexpr std::int64_t tile_limit(std::int64_t nnz) {
  std::int64_t limit = tile_most;
  while (limit > 512 && 4096 * limit > nnz) limit /= 2;
  return limit;
}

// The side for a matrix: 2^8, where tiles of that side have entries enough, otherwise the smallest
// larger one up to 2^most_bits whose tiles have.
template <RealValue T, Offset O>
NZ_API int tiles_side_bits(const CsrView<T, O>& a, int most_bits = tiles_rule_side_bits);

// side = 0 leaves it to tiles_side_bits(). Throws InvalidArgument for one that is not a power of 2
// or above 2^15.
template <RealValue T, Offset O>
NZ_API Tiles<T> tiles_from_csr(const CsrView<T, O>& a, std::int64_t side = 0);

template <Offset O, RealValue T>
NZ_API Csr<T, O> tiles_to_csr(const TilesView<T>& a);

}  // namespace nz
