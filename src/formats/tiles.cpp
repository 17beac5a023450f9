#include <nonzero/formats/tiles.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/checks.hpp"
#include "formats/scan.hpp"
#include "formats/sort_rows.hpp"
#include "formats/tile_groups.hpp"
#include "formats/tile_side.hpp"

namespace nz {
namespace {

// body(strip) for every strip of `side` rows, each thread taking the next when it is done with one.
// make_body() is called once a thread, for its scratch memory.
template <class MakeBody>
void over_strips(index_t strips, std::int64_t nnz, MakeBody&& make_body) {
  constexpr std::int64_t grain = 1 << 14;
  std::atomic<index_t> next{0};
  parallel(nnz < grain ? 1 : std::min<int>(threads(), strips), [&](int, int) {
    auto body = make_body();
    for (index_t s = next++; s < strips; s = next++) body(s);
  });
}

template <class T>
struct Entry {
  std::uint16_t row, column;
  T value;
};

// Deals the entries of one tile into groups, in their order.
template <class T>
class Dealer {
 public:
  explicit Dealer(index_t side)
      : row_(static_cast<std::size_t>(side)), column_(static_cast<std::size_t>(side)) {}

  // Afterwards order() has the numbers of the entries, group by group, and groups() the groups.
  void deal(const Entry<T>* entry, std::int64_t n) {
    order_.clear();
    groups_.clear();
    left_.resize(static_cast<std::size_t>(n));
    std::iota(left_.begin(), left_.end(), 0);
    take_runs<TileGroup::row_run>(row_, n, [&](int k) { return entry[k].row; });
    take_runs<TileGroup::column_run>(column_, n, [&](int k) { return entry[k].column; });
    while (!left_.empty()) take_mixed(entry);
    full_ones_first();
  }
  const std::vector<int>& order() const { return order_; }
  const std::vector<std::uint8_t>& groups() const { return groups_; }

 private:
  // Lines in the order of their first entries; `degree` is zero before and after.
  template <TileGroup kind, class Line>
  void take_runs(std::vector<std::uint64_t>& degree, std::int64_t n, Line&& line) {
    for (const int k : left_) ++degree[line(k)];
    runs_.clear();
    for (const int k : left_)
      if (becomes_runs(static_cast<std::int64_t>(degree[line(k)]), n)) runs_.push_back(k);
    if (!runs_.empty()) {
      std::erase_if(left_, [&](int k) {
        return becomes_runs(static_cast<std::int64_t>(degree[line(k)]), n);
      });
      std::stable_sort(runs_.begin(), runs_.end(), [&](int l, int r) { return line(l) < line(r); });
    }
    for (std::size_t i = 0; i < runs_.size();) {
      const auto mine = line(runs_[i]);
      int size = 0;
      while (i < runs_.size() && size < group_most && line(runs_[i]) == mine) {
        order_.push_back(runs_[i++]);
        ++size;
      }
      groups_.push_back(tile_group(kind, size));
    }
    for (const int k : runs_) degree[line(k)] = 0;
    for (const int k : left_) degree[line(k)] = 0;
  }

  // 64 groups of those that are left.
  void take_mixed(const Entry<T>* entry) {
    GroupMasks masks{row_.data(), column_.data()};
    const std::uint64_t wanted = wanted_groups(static_cast<std::int64_t>(left_.size()));
    taken_.resize(left_.size());
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const Entry<T>& e = entry[left_[i]];
      taken_[i] = static_cast<std::uint8_t>(take_group(masks, e.row, e.column, wanted));
    }
    std::size_t next[64];
    std::size_t total = order_.size();
    for (int g = 0; g < 64; ++g) {
      next[g] = total;
      total += masks.size[g];
      if (masks.size[g] > 0) groups_.push_back(tile_group(TileGroup::mixed, masks.size[g]));
    }
    order_.resize(total);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const int k = left_[i];
      row_[entry[k].row] = column_[entry[k].column] = 0;
      if (taken_[i] < 64)
        order_[next[taken_[i]]++] = k;
      else
        left_[kept++] = k;
    }
    left_.resize(kept);
  }

  // Full mixed groups come first, which a kernel takes without looking, then the other mixed ones.
  void full_ones_first() {
    std::vector<int> order;
    std::vector<std::uint8_t> groups;
    order.reserve(order_.size());
    groups.reserve(groups_.size());
    for (const int rank : {0, 1, 2}) {
      auto from = order_.cbegin();
      for (const std::uint8_t g : groups_) {
        const auto end = from + tile_group_size(g);
        if (tile_group_rank(g) == rank) {
          groups.push_back(g);
          order.insert(order.end(), from, end);
        }
        from = end;
      }
    }
    order_ = std::move(order);
    groups_ = std::move(groups);
  }

  std::vector<std::uint64_t> row_, column_;
  std::vector<int> left_, order_, runs_;
  std::vector<std::uint8_t> taken_, groups_;
};

struct Place {
  index_t row, column;
};
template <class T>
Place place_at(const TilesView<T>& a, std::int64_t k) {
  if (a.is_short()) return {a.short_places[k] >> 8, a.short_places[k] & 0xff};
  return {a.long_rows[k], a.long_columns[k]};
}

// The groups of one tile: their sizes, places inside, and what must differ in each kind.
template <class T>
void check_tile(const TilesView<T>& a, index_t t) {
  const index_t side = a.side();
  const index_t height = std::min(side, a.rows - (a.tile_row[t] << a.side_bits));
  const index_t width = std::min(side, a.cols - (a.tile_column[t] << a.side_bits));
  std::int64_t k = a.first[t];
  const auto wrong = [&](std::int64_t g, const std::string& what) {
    return BadInput(fmt::format("tiles: tile {}, group {}: {}", t, g, what));
  };
  for (std::int64_t g = a.first_group[t]; g < a.first_group[t + 1]; ++g) {
    const TileGroup kind = tile_group_kind(a.group[g]);
    const int size = tile_group_size(a.group[g]);
    if (kind > TileGroup::column_run) throw wrong(g, "there is no such kind");
    if (k + size > a.first[t + 1]) throw wrong(g, "it reaches beyond its tile");
    for (int e = 0; e < size; ++e) {
      const Place p = place_at(a, k + e);
      if (p.row >= height || p.column >= width)
        throw wrong(
            g, fmt::format("place ({}, {}) is outside {} x {}", p.row, p.column, height, width));
      for (int f = 0; f < e; ++f) {
        const Place q = place_at(a, k + f);
        if ((p.row == q.row) != (kind == TileGroup::row_run) ||
            (p.column == q.column) != (kind == TileGroup::column_run))
          throw wrong(g, fmt::format("entries {} and {} must not be at ({}, {}) and ({}, {})",
                                     k + f, k + e, q.row, q.column, p.row, p.column));
      }
    }
    k += size;
  }
  if (k != a.first[t + 1])
    throw BadInput(fmt::format("tiles: the groups of tile {} have {} entries, the tile {}", t,
                               k - a.first[t], a.first[t + 1] - a.first[t]));
}

template <class T, class O>
std::span<const index_t> columns_of(const CsrView<T, O>& a, index_t begin, index_t end) {
  const auto n = static_cast<std::size_t>(a.offsets[end] - a.offsets[begin]);
  return n == 0 ? std::span<const index_t>() : std::span(a.columns + a.offsets[begin], n);
}

}  // namespace

template <RealValue T>
TilesView<T> Tiles<T>::view() const {
  return {rows,
          cols,
          side_bits,
          static_cast<index_t>(tile_row.size()),
          nnz(),
          static_cast<std::int64_t>(group.size()),
          row_starts.data(),
          column_starts.data(),
          by_column.data(),
          tile_row.data(),
          tile_column.data(),
          first.data(),
          first_group.data(),
          group.data(),
          short_places.data(),
          long_rows.data(),
          long_columns.data(),
          values.data()};
}

index_t require_tiles(std::int64_t tiles) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  if (tiles > most) throw Refused(fmt::format("tiles: {} tiles, limit {}", tiles, most));
  return static_cast<index_t>(tiles);
}

template <RealValue T, Offset O>
int tiles_side_bits(const CsrView<T, O>& a, int most_bits) {
  return side_bits_by_entries(a.rows, a.cols, most_bits, [&](index_t begin, index_t end) {
    return columns_of(a, begin, end);
  });
}

template <RealValue T, Offset O>
Tiles<T> tiles_from_csr(const CsrView<T, O>& a, std::int64_t side) {
  if (side < 0 || side > (1 << tiles_most_side_bits) ||
      (side > 0 && !std::has_single_bit(static_cast<std::uint64_t>(side))))
    throw InvalidArgument(
        fmt::format("tiles: a side of {}; it is a power of 2, at most {} for 15 bits a place", side,
                    1 << tiles_most_side_bits));
  Tiles<T> b{.rows = a.rows, .cols = a.cols};
  b.side_bits = side == 0 ? tiles_side_bits(a) : std::countr_zero(static_cast<std::uint64_t>(side));
  const int bits = b.side_bits;
  const std::int64_t limit = tile_limit(a.nnz);
  TilesView<T> grid = b.view();
  const index_t strips = grid.grid_rows();
  const auto rows_of = [&](index_t s) {
    const index_t begin = s << bits;
    return std::pair{begin, a.rows - begin < grid.side() ? a.rows : begin + grid.side()};
  };

  b.row_starts = Array<index_t>(static_cast<std::size_t>(strips) + 1);
  b.row_starts[0] = 0;
  over_strips(strips, a.nnz, [&] {
    return [&, counts = StripCounts(grid.grid_cols())](index_t s) mutable {
      const auto [begin, end] = rows_of(s);
      counts.count(columns_of(a, begin, end), bits);
      std::int64_t tiles = 0;
      for (const index_t j : counts.columns()) tiles += pieces_of_tile(counts.at(j), limit);
      b.row_starts[s + 1] = static_cast<index_t>(tiles);
    };
  });
  std::int64_t sum = 0;
  for (index_t s = 0; s < strips; ++s)
    b.row_starts[s + 1] = require_tiles(sum += b.row_starts[s + 1]);
  const auto tiles = static_cast<std::size_t>(b.row_starts[strips]);

  b.tile_row = Array<index_t>(tiles);
  b.tile_column = Array<index_t>(tiles);
  b.first = Array<std::int64_t>(tiles + 1);
  b.first_group = Array<std::int64_t>(tiles + 1);
  b.values = Array<T>(static_cast<std::size_t>(a.nnz));
  for (auto* places :
       grid.is_short() ? std::vector{&b.short_places} : std::vector{&b.long_rows, &b.long_columns})
    *places = Array<std::uint16_t>(static_cast<std::size_t>(a.nnz));
  std::vector<std::vector<std::uint8_t>> strip_groups(static_cast<std::size_t>(strips));
  over_strips(strips, a.nnz, [&] {
    return [&, counts = StripCounts(grid.grid_cols()), dealer = Dealer<T>(grid.side()),
            entries = std::vector<Entry<T>>()](index_t s) mutable {
      const auto [begin, end] = rows_of(s);
      counts.count(columns_of(a, begin, end), bits);
      const std::int64_t base = a.offsets[begin];
      entries.resize(static_cast<std::size_t>(a.offsets[end] - a.offsets[begin]));
      // By places in the grid, each sorted and cut into tiles: counts become places of entries.
      index_t tile = b.row_starts[s];
      std::int64_t at = 0;
      for (const index_t j : counts.columns()) {
        const std::int64_t n = counts.at(j), parts = pieces_of_tile(n, limit);
        for (std::int64_t p = 0; p < parts; ++p, ++tile) {
          b.tile_row[tile] = s;
          b.tile_column[tile] = j;
          b.first[tile] = base + at + n * p / parts;
        }
        counts.at(j) = at;
        at += n;
      }
      const index_t mask = grid.side() - 1;
      for (index_t i = begin; i < end; ++i)
        for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
          entries[static_cast<std::size_t>(counts.at(a.columns[k] >> bits)++)] = {
              static_cast<std::uint16_t>(i - begin),
              static_cast<std::uint16_t>(a.columns[k] & mask), a.values[k]};
      auto sorted = entries.begin();
      for (const index_t j : counts.columns()) {
        const auto of_place = entries.begin() + counts.at(j);
        std::stable_sort(sorted, of_place, [&](const Entry<T>& l, const Entry<T>& r) {
          return dealing_order(l.row, l.column, bits) < dealing_order(r.row, r.column, bits);
        });
        sorted = of_place;
      }
      auto& mine = strip_groups[static_cast<std::size_t>(s)];
      for (index_t t = b.row_starts[s]; t < tile; ++t) {
        const std::int64_t from = b.first[t] - base, to = t + 1 < tile ? b.first[t + 1] - base : at;
        const Entry<T>* const of_tile = entries.data() + from;
        dealer.deal(of_tile, to - from);
        std::size_t k = static_cast<std::size_t>(b.first[t]);
        for (const int e : dealer.order()) {
          b.values[k] = of_tile[e].value;
          if (grid.is_short()) {
            b.short_places[k] = static_cast<std::uint16_t>(of_tile[e].row << 8 | of_tile[e].column);
          } else {
            b.long_rows[k] = of_tile[e].row;
            b.long_columns[k] = of_tile[e].column;
          }
          ++k;
        }
        b.first_group[t] = static_cast<std::int64_t>(mine.size());  // of the strip
        mine.insert(mine.end(), dealer.groups().begin(), dealer.groups().end());
      }
    };
  });
  b.first[tiles] = a.nnz;
  Array<std::int64_t> groups(static_cast<std::size_t>(strips) + 1);
  for (index_t s = 0; s < strips; ++s)
    groups[s] = static_cast<std::int64_t>(strip_groups[static_cast<std::size_t>(s)].size());
  b.first_group[tiles] = scan_counts(groups);
  b.group = Array<std::uint8_t>(static_cast<std::size_t>(b.first_group[tiles]));
  over_strips(strips, a.nnz, [&] {
    return [&](index_t s) {
      const auto& mine = strip_groups[static_cast<std::size_t>(s)];
      std::copy(mine.begin(), mine.end(), b.group.begin() + groups[s]);
      for (index_t t = b.row_starts[s]; t < b.row_starts[s + 1]; ++t) b.first_group[t] += groups[s];
    };
  });

  // The same tiles by columns.
  Array<std::int64_t> starts(static_cast<std::size_t>(grid.grid_cols()) + 1);
  std::fill(starts.begin(), starts.end(), 0);
  for (const index_t j : b.tile_column) ++starts[j];
  scan_counts(starts);
  b.column_starts = Array<index_t>(starts.size());
  std::transform(starts.begin(), starts.end(), b.column_starts.begin(),
                 [](std::int64_t n) { return static_cast<index_t>(n); });
  b.by_column = Array<index_t>(tiles);
  for (std::size_t t = 0; t < tiles; ++t)
    b.by_column[starts[b.tile_column[t]]++] = static_cast<index_t>(t);
  return b;
}

template <RealValue T>
void Tiles<T>::validate() const {
  check_shape("tiles", rows, cols);
  if (side_bits < 0 || side_bits > tiles_most_side_bits)
    throw BadInput(fmt::format("tiles: a side of 2^{}", side_bits));
  const TilesView<T> v = view();
  const auto tiles = tile_row.size();
  check_size("tiles", "row_starts", row_starts.size(), std::size_t(v.grid_rows()) + 1);
  check_size("tiles", "column_starts", column_starts.size(), std::size_t(v.grid_cols()) + 1);
  check_size("tiles", "tile_column", tile_column.size(), tiles);
  check_size("tiles", "by_column", by_column.size(), tiles);
  check_size("tiles", "first", first.size(), tiles + 1);
  check_size("tiles", "first_group", first_group.size(), tiles + 1);
  check_size("tiles", "short_places", short_places.size(), v.is_short() ? values.size() : 0);
  check_size("tiles", "long_rows", long_rows.size(), v.is_short() ? 0 : values.size());
  check_size("tiles", "long_columns", long_columns.size(), v.is_short() ? 0 : values.size());
  check_offsets("tiles", "row of tiles", row_starts.data(), v.grid_rows(), v.tiles);
  check_offsets("tiles", "column of tiles", column_starts.data(), v.grid_cols(), v.tiles);
  check_offsets("tiles", "tile", first.data(), v.tiles, v.nnz);
  check_offsets("tiles", "the groups of tile", first_group.data(), v.tiles, v.groups);
  for (index_t s = 0; s < v.grid_rows(); ++s)
    for (index_t t = row_starts[s]; t < row_starts[s + 1]; ++t)
      if (tile_row[t] != s || tile_column[t] < 0 || tile_column[t] >= v.grid_cols() ||
          (t > row_starts[s] && tile_column[t] < tile_column[t - 1]))
        throw BadInput(fmt::format("tiles: tile {} of row {} is said to be at ({}, {})", t, s,
                                   tile_row[t], tile_column[t]));
  for (index_t j = 0; j < v.grid_cols(); ++j)
    for (index_t i = column_starts[j]; i < column_starts[j + 1]; ++i)
      if (by_column[i] < 0 || by_column[i] >= v.tiles || tile_column[by_column[i]] != j ||
          (i > column_starts[j] && by_column[i] <= by_column[i - 1]))
        throw BadInput(fmt::format("tiles: column {} of tiles lists tile {}", j, by_column[i]));
  check_each(
      v.tiles, [&](index_t t) { check_tile(v, t); }, 64);
}

// The tiles of a row of tiles come from left to right; what a row has in one of them is sorted.
template <Offset O, RealValue T>
Csr<T, O> tiles_to_csr(const TilesView<T>& a) {
  Array<std::int64_t> next(static_cast<std::size_t>(a.rows) + 1);
  std::fill(next.begin(), next.end(), 0);
  const auto over_entries = [&](index_t t, auto&& each) {
    const index_t top = a.tile_row[t] << a.side_bits, left = a.tile_column[t] << a.side_bits;
    for (std::int64_t k = a.first[t]; k < a.first[t + 1]; ++k) {
      const Place p = place_at(a, k);
      each(top + p.row, left + p.column, a.values[k]);
    }
  };
  const auto of_strip = [&](index_t s, auto&& each) {
    for (index_t t = a.row_starts[s]; t < a.row_starts[s + 1]; ++t) over_entries(t, each);
  };
  over_strips(a.grid_rows(), a.nnz, [&] {
    return [&](index_t s) { of_strip(s, [&](index_t i, index_t, T) { ++next[i]; }); };
  });
  Csr<T, O> b = csr_with_room<T, O>(a.rows, a.cols, next);
  over_strips(a.grid_rows(), a.nnz, [&] {
    return [&, sorter = RowSorter<T, O>()](index_t s) mutable {
      of_strip(s, [&](index_t i, index_t j, T value) {
        b.columns[next[i]] = j;
        b.values[next[i]++] = value;
      });
      const index_t begin = s << a.side_bits;
      const index_t end = a.rows - begin < a.side() ? a.rows : begin + a.side();
      sorter.settle(b, begin, end, static_cast<O>(next[end - 1]));
    };
  });
  return b;
}

#define NZ_INSTANTIATE(T) template struct Tiles<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE
#define NZ_INSTANTIATE(T, O)                                            \
  template int tiles_side_bits(const CsrView<T, O>&, int);              \
  template Tiles<T> tiles_from_csr(const CsrView<T, O>&, std::int64_t); \
  template Csr<T, O> tiles_to_csr(const TilesView<T>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
