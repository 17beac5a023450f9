#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/formats.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/threads.hpp>

#include "formats/figures.hpp"
#include "formats/messages.hpp"

// Tiles: which entries share a group, and what their arrays are.
namespace nz {
namespace {

constexpr auto mixed = TileGroup::mixed, row_run = TileGroup::row_run,
               column_run = TileGroup::column_run;

Array<double> letters(const char* text) {
  std::vector<double> v;
  for (; *text; ++text)
    if (*text != ' ') v.push_back(*text - 'a' + 1);
  return Array<double>(std::span<const double>(v));
}
Array<std::uint8_t> groups(std::initializer_list<std::pair<TileGroup, int>> list) {
  Array<std::uint8_t> g(list.size());
  std::transform(list.begin(), list.end(), g.begin(),
                 [](const auto& p) { return tile_group(p.first, p.second); });
  return g;
}

Csr<double, std::int64_t> from(index_t rows, index_t cols,
                               const std::set<std::pair<index_t, index_t>>& places) {
  std::vector<index_t> r, c;
  std::vector<double> v;
  for (const auto& [i, j] : places) {
    r.push_back(i);
    c.push_back(j);
    v.push_back(static_cast<double>(v.size() + 1));
  }
  return csr_from_triplets<double, std::int64_t>(rows, cols, r, c, v);
}

// 8 x 8 in four tiles. Of the first: a b . . / g h i j / . m . . / . n . o, diagonal by diagonal
// the groups a h o, g m, j n, b i.
TEST(Tiles, FourSmallOnes) {
  const Tiles<double> want{8,
                           8,
                           2,
                           {0, 2, 4},
                           {0, 2, 4},
                           {0, 2, 1, 3},
                           {0, 0, 1, 1},
                           {0, 1, 0, 1},
                           {0, 9, 15, 21, 26},
                           {0, 4, 8, 11, 13},
                           groups({{mixed, 3},
                                   {mixed, 2},
                                   {mixed, 2},
                                   {mixed, 2},  //
                                   {mixed, 2},
                                   {mixed, 2},
                                   {mixed, 1},
                                   {mixed, 1},  //
                                   {mixed, 3},
                                   {mixed, 2},
                                   {mixed, 1},
                                   {mixed, 4},
                                   {mixed, 1}}),
                           {0x000, 0x101, 0x303, 0x100, 0x201, 0x103, 0x301, 0x001, 0x102,  //
                            0x000, 0x103, 0x003, 0x100, 0x002, 0x001,                       //
                            0x003, 0x201, 0x102, 0x002, 0x103, 0x203,                       //
                            0x002, 0x103, 0x200, 0x301, 0x300},
                           {},
                           {},
                           letters("aho gm jn bi  cl fk e d  qvs pt w  ruxz y")};
  const auto a = tiles_from_csr(letters_matrix().view(), 4);
  EXPECT_TRUE(a == want);
  a.validate();
  EXPECT_EQ(a.bytes(), 26 * (8 + 2) + 13 + 4 * 3 * 4 + 2 * 5 * 8 + (3 + 3) * 4u);
}

// The same as one tile: two rows are too long for a single group of 32, so they are runs.
TEST(Tiles, LongRowsAreRuns) {
  const auto a = tiles_from_csr(letters_matrix().view(), 8);
  EXPECT_TRUE(a.group ==
              groups({{mixed, 6}, {mixed, 4}, {mixed, 3}, {mixed, 1}, {row_run, 6}, {row_run, 6}}));
  EXPECT_TRUE(a.values == letters("ompxzu qnsy tvr w afedcb hglkji"));
  // Rows 1 and 3 have five; what they leave of column 0 is five still, of column 1 four.
  const auto b = tiles_from_csr(transpose(letters_matrix().view()).view(), 8);
  EXPECT_TRUE(b.group == groups({{mixed, 4},
                                 {mixed, 3},
                                 {mixed, 3},
                                 {mixed, 1},
                                 {row_run, 5},
                                 {row_run, 5},
                                 {column_run, 5}}));
  EXPECT_TRUE(b.values == letters("iruy ksz pxl g hbvnm ojwtq acdef"));
}

TEST(Tiles, HubsAreRunsAndFullGroupsComeFirst) {
  std::set<std::pair<index_t, index_t>> places;
  for (index_t i = 0; i < 64; ++i)
    for (const index_t by : {0, 11, 23, 37, 50}) places.emplace(i, (i + by) % 64);
  for (index_t k = 0; k < 60; ++k) {
    places.emplace(5, k);
    places.emplace(k, 9);
  }
  const auto a = tiles_from_csr(from(64, 64, places).view(), 64);
  a.validate();
  ASSERT_EQ(a.tile_row.size(), 1u);
  std::vector<int> in_row, in_column;
  std::size_t full = 0;
  std::int64_t k = 0;
  for (const std::uint8_t g : a.group) {
    const int size = tile_group_size(g);
    full += g == tile_group(mixed, 32);
    if (tile_group_kind(g) == row_run) {
      in_row.push_back(size);
      EXPECT_EQ(a.short_places[k] >> 8, 5);
    } else if (tile_group_kind(g) == column_run) {
      in_column.push_back(size);
      EXPECT_EQ(a.short_places[k] & 0xff, 9);
    }
    k += size;
  }
  // Row 5 has two more on its diagonals, column 9 likewise, and row 5 took (5, 9).
  const auto sum = [](const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); };
  const auto of = [&](auto&& which) {
    return static_cast<int>(std::count_if(places.begin(), places.end(), which));
  };
  EXPECT_EQ(sum(in_row), of([](const auto& p) { return p.first == 5; }));
  EXPECT_EQ(sum(in_column), of([](const auto& p) { return p.second == 9 && p.first != 5; }));
  EXPECT_EQ(in_row.size(), 2u);
  EXPECT_EQ(in_column.size(), 2u);
  EXPECT_GT(full, 4u);
  for (std::size_t g = 0; g < a.group.size(); ++g)
    EXPECT_EQ(a.group[g] == tile_group(mixed, 32), g < full) << g;
}

// More than twice of what a tile may have are three tiles of one place; by columns they stay in
// their order.
TEST(Tiles, TooManyEntriesAreSeveralTiles) {
  constexpr index_t rows = 17, n = rows * 64;
  static_assert(2 * tile_limit(n) < n && n <= 3 * tile_limit(n));
  static_assert(tile_limit((1 << 24) - 1) == 2048 && tile_limit(1 << 24) == tile_most);
  std::set<std::pair<index_t, index_t>> places = {{0, 700}};
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < 64; ++j) places.emplace(i, j);
  const auto csr = from(rows, 1000, places);
  const auto a = tiles_from_csr(csr.view(), 512);
  a.validate();
  EXPECT_TRUE(a.row_starts == (Array<index_t>{0, 4}));
  EXPECT_TRUE(a.tile_column == (Array<index_t>{0, 0, 0, 1}));
  EXPECT_TRUE(a.first == (Array<std::int64_t>{0, n / 3, 2 * n / 3, n, n + 1}));
  EXPECT_TRUE(a.column_starts == (Array<index_t>{0, 3, 4}));
  EXPECT_TRUE(a.by_column == (Array<index_t>{0, 1, 2, 3}));
  EXPECT_TRUE(tiles_to_csr<std::int64_t>(a.view()) == csr);
}

TEST(Tiles, KeepTheirRulesAndFillTheirGroups) {
  for (const char* what : {"rmat:scale=10,degree=16", "random:rows=700,cols=900,density=0.03"})
    for (const std::int64_t side : {0, 4, 32, 256, 512, 1024, 32768}) {
      SCOPED_TRACE(testing::Message() << what << ", side " << side);
      const auto csr = generate(what).matrix;
      const auto a = tiles_from_csr(csr.view(), side);
      EXPECT_NO_THROW(a.validate());
      EXPECT_TRUE(tiles_to_csr<std::int64_t>(a.view()) == csr);
      const TilesView<double> v = a.view();
      // Full mixed groups, other mixed ones, runs: kernels count on it.
      const auto rank = [](std::uint8_t g) {
        return tile_group_kind(g) != mixed ? 2 : tile_group_size(g) < 32 ? 1 : 0;
      };
      for (index_t t = 0; t < v.tiles; ++t) {
        ASSERT_TRUE(std::is_sorted(v.group + v.first_group[t], v.group + v.first_group[t + 1],
                                   [&](auto l, auto r) { return rank(l) < rank(r); }))
            << t;
        ASSERT_LE(v.first[t + 1] - v.first[t], tile_limit(v.nnz));
      }
      if (side >= 256) {
        EXPECT_GT(v.nnz, (what[1] == 'm' ? 12 : 24) * v.groups);
      }
    }
}

TEST(Tiles, TheSideIsAsLargeAsEntriesNeed) {
  const auto diagonal = generate("diagonal:n=5000").matrix;
  EXPECT_EQ(tiles_side_bits(diagonal.view()), 8);
  EXPECT_EQ(tiles_from_csr(diagonal.view()).side_bits, 8);
  const auto scattered = generate("random:rows=5000,cols=5000,density=0.0001").matrix;
  EXPECT_EQ(tiles_side_bits(scattered.view()), 12);  // some 600 in a tile
  EXPECT_EQ(tiles_side_bits(scattered.view(), 11), 11);
  EXPECT_EQ(tiles_side_bits(scattered.view(), 8), 8);
  EXPECT_EQ(tiles_from_csr(scattered.view()).side_bits, 12);
  EXPECT_EQ(tiles_side_bits(letters_matrix().view()), 8);
  EXPECT_EQ(tiles_side_bits(
                Csr<double, std::int32_t>{5000, 5000, Array<std::int32_t>(5001, 0), {}, {}}.view()),
            13);
}

TEST(Tiles, RefuseOtherSides) {
  const auto a = letters_matrix();
  for (const std::int64_t side : {std::int64_t{-1}, std::int64_t{3}, std::int64_t{65536},
                                  std::int64_t{1} << 32, std::int64_t{1} << 63})
    EXPECT_EQ(message_of<InvalidArgument>([&] { tiles_from_csr(a.view(), side); }),
              "tiles: a side of " + std::to_string(side) +
                  "; it is a power of 2, at most 32768 for 15 bits a place");
}

TEST(Tiles, PlacesUseAllTheirBits) {
  const index_t n = std::numeric_limits<index_t>::max();
  const auto a = from(32768, n, {{0, 32767}, {32767, 32767}, {32767, n - 1}});
  const auto b = tiles_from_csr(a.view(), 32768);
  b.validate();
  EXPECT_TRUE(b.tile_column == (Array<index_t>{0, 65535}));
  EXPECT_TRUE(b.long_rows == (Array<std::uint16_t>{32767, 0, 32767}));
  EXPECT_TRUE(b.long_columns == (Array<std::uint16_t>{32767, 32767, 32766}));
  EXPECT_TRUE(tiles_to_csr<std::int64_t>(b.view()) == a);
  const auto d = from(256, 512, {{0, 255}, {255, 255}, {255, 510}});
  const auto c = tiles_from_csr(d.view(), 256);
  c.validate();
  EXPECT_TRUE(c.short_places == (Array<std::uint16_t>{0xffff, 0xff, 0xfffe}));
  EXPECT_TRUE(tiles_to_csr<std::int64_t>(c.view()) == d);
}

TEST(Tiles, DoNotDependOnTheNumberOfThreads) {
  const int before = threads();
  const auto a = csr_cast<float, std::int32_t>(generate("rmat:scale=12,degree=8").matrix.view());
  ASSERT_GT(a.nnz(), 1 << 14);  // enough to share
  set_threads(1);
  const auto small = tiles_from_csr(a.view(), 64), large = tiles_from_csr(a.view(), 1024);
  for (const int n : {2, 7}) {
    set_threads(n);
    EXPECT_TRUE(tiles_from_csr(a.view(), 64) == small);
    EXPECT_TRUE(tiles_from_csr(a.view(), 1024) == large);
    EXPECT_TRUE(tiles_to_csr<std::int32_t>(large.view()) == a);
    EXPECT_NO_THROW(small.validate());
  }
  set_threads(before);
}

TEST(Validate, Tiles) {
  using M = Tiles<double>;
  const M a = tiles_from_csr(letters_matrix().view(), 4);
  const auto says = [&](const std::string& want, const std::function<void(M&)>& spoil) {
    expect<M>(a, spoil, "tiles: " + want);
  };
  says("negative shape -1 x 8", [](M& b) { b.rows = -1; });
  says("a side of 2^16", [](M& b) { b.side_bits = 16; });
  says("a side of 2^-1", [](M& b) { b.side_bits = -1; });
  says("row_starts has 3 elements, needs 4", [](M& b) { b.rows = 9; });
  says("column_starts has 3 elements, needs 2", [](M& b) { b.cols = 4; });
  says("tile_column has 3 elements, needs 4", [](M& b) { b.tile_column.truncate(3); });
  says("by_column has 2 elements, needs 4", [](M& b) { b.by_column.truncate(2); });
  says("first has 4 elements, needs 5", [](M& b) { b.first.truncate(4); });
  says("first_group has 4 elements, needs 5", [](M& b) { b.first_group.truncate(4); });
  says("short_places has 26 elements, needs 25", [](M& b) { b.values.truncate(25); });
  says("long_rows has 1 elements, needs 0", [](M& b) { b.long_rows = Array<std::uint16_t>{0}; });
  says("long_columns has 1 elements, needs 0",
       [](M& b) { b.long_columns = Array<std::uint16_t>{0}; });
  says("offsets start at 1, not 0", [](M& b) { b.row_starts[0] = 1; });
  says("row of tiles 1 ends at 4, before its start 5 (counting from 0)",
       [](M& b) { b.row_starts[1] = 5; });
  says("offsets end at 3, but there are 4 entries", [](M& b) { b.column_starts[2] = 3; });
  says("tile 0 ends at -1, before its start 0 (counting from 0)", [](M& b) { b.first[1] = -1; });
  says("the groups of tile 1 ends at 8, before its start 9 (counting from 0)",
       [](M& b) { b.first_group[1] = 9; });
  says("tile 1 of row 0 is said to be at (1, 1)", [](M& b) { b.tile_row[1] = 1; });
  says("tile 1 of row 0 is said to be at (0, 2)", [](M& b) { b.tile_column[1] = 2; });
  says("tile 3 of row 1 is said to be at (1, -1)", [](M& b) { b.tile_column[3] = -1; });
  says("tile 1 of row 0 is said to be at (0, 0)", [](M& b) {
    b.tile_column[0] = 1;
    b.tile_column[1] = 0;
  });
  says("column 0 of tiles lists tile 1", [](M& b) { b.by_column[1] = 1; });
  says("column 0 of tiles lists tile 0", [](M& b) { b.by_column[1] = 0; });
  says("column 1 of tiles lists tile 4", [](M& b) { b.by_column[3] = 4; });
  says("column 1 of tiles lists tile -1", [](M& b) { b.by_column[2] = -1; });
  says("tile 0, group 1: there is no such kind", [](M& b) { b.group[1] = 3 << 5; });
  says("tile 0, group 3: it reaches beyond its tile", [](M& b) { ++b.group[3]; });
  says("the groups of tile 0 have 8 entries, the tile 9", [](M& b) { --b.group[3]; });
  says("tile 1, group 4: place (0, 4) is outside 4 x 4", [](M& b) { b.short_places[9] = 4; });
  says("tile 0, group 0: place (4, 1) is outside 4 x 4", [](M& b) { b.short_places[1] = 0x401; });
  says("tile 2, group 8: place (3, 1) is outside 3 x 4", [](M& b) {
    b.rows = 7;
    b.short_places[17] = 0x301;
  });
  says("tile 0, group 0: entries 0 and 2 must not be at (0, 0) and (3, 0)",
       [](M& b) { b.short_places[2] = 0x300; });
  says("tile 0, group 1: entries 3 and 4 must not be at (1, 0) and (0, 0)",
       [](M& b) { b.short_places[4] = 0; });
  says("tile 0, group 1: entries 3 and 4 must not be at (1, 0) and (2, 1)",
       [](M& b) { b.group[1] = tile_group(row_run, 2); });
  says("tile 0, group 1: entries 3 and 4 must not be at (1, 0) and (0, 1)", [](M& b) {
    b.group[1] = tile_group(column_run, 2);
    b.short_places[4] = 1;
  });
}

}  // namespace
}  // namespace nz
