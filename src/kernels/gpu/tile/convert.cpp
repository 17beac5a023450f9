#include "kernels/gpu/tile/convert.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/instantiate.hpp"
#include "formats/tile_side.hpp"
#include "device/each.hpp"
#include "device/entry_keys.hpp"
#include "device/fetch.hpp"
#include "device/line_order.hpp"
#include "device/sort_scan.hpp"
#include "kernels/gpu/tile/deal.hpp"
#include "simt/backend.hpp"

// Entries are sorted by their places in the grid and the order in which they are dealt, values with
// them. Where places change, tiles begin; what has too many entries is cut into several. Then each
// tile is dealt into groups.
namespace nz::NZ_HOME {
namespace {

// Place in the grid, row by row; then the order inside.
struct TileKey {
  index_t grid_cols;
  int bits;
  NZ_DEVICE std::uint64_t operator()(index_t row, index_t column) const {
    const index_t mask = (index_t{1} << bits) - 1;
    const std::int64_t place = std::int64_t{row >> bits} * grid_cols + (column >> bits);
    return static_cast<std::uint64_t>(place) << (2 * bits) |
           dealing_order(static_cast<std::uint32_t>(row & mask),
                         static_cast<std::uint32_t>(column & mask), bits);
  }
};

// heads[k] = 1 where another place than that of entry k - 1 begins.
struct FindPlaces {
  static constexpr const char* name = "find tiles";
  std::int64_t nnz;
  int shift;
  const std::uint64_t* keys;
  std::int64_t* heads;  // nnz + 1
  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    heads[k] = k < nnz && (k == 0 || t.load(keys + k) >> shift != t.load(keys + k - 1) >> shift);
  }
};
struct WriteTileStarts {
  static constexpr const char* name = "write where tiles start";
  std::int64_t nnz;
  const std::int64_t* before;  // heads, summed
  std::int64_t* starts;
  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    if (k == nnz || t.load(before + k + 1) != t.load(before + k)) starts[t.load(before + k)] = k;
  }
};
struct CountPieces {
  static constexpr const char* name = "count pieces of tiles";
  std::int64_t places, limit;
  const std::int64_t* starts;
  std::int64_t* pieces;
  NZ_DEVICE void operator()(Thread& t, std::int64_t i) const {
    pieces[i] = i < places ? pieces_of_tile(t.load(starts + i + 1) - t.load(starts + i), limit) : 0;
  }
};
struct WriteTiles {
  static constexpr const char* name = "write tiles";
  std::int64_t places;
  index_t grid_cols;
  int shift;
  const std::uint64_t* keys;
  const std::int64_t* starts;
  const std::int64_t* before;  // pieces, summed
  std::int64_t* first;
  index_t* tile_row;
  index_t* tile_column;
  NZ_DEVICE void operator()(Thread& t, std::int64_t i) const {
    const std::int64_t start = t.load(starts + i), to = t.load(before + i);
    if (i == places) {
      first[to] = start;
      return;
    }
    const std::int64_t n = t.load(starts + i + 1) - start, parts = t.load(before + i + 1) - to;
    const auto place = static_cast<std::int64_t>(t.load(keys + start) >> shift);
    for (std::int64_t p = 0; p < parts; ++p) {
      first[to + p] = start + n * p / parts;
      tile_row[to + p] = static_cast<index_t>(place / grid_cols);
      tile_column[to + p] = static_cast<index_t>(place % grid_cols);
    }
  }
};

// A warp a tile.
struct CopyGroups {
  static constexpr const char* name = "copy groups of tiles";
  index_t tiles;
  const std::int64_t* first;
  const std::int64_t* first_group;
  const std::uint8_t* from;
  std::uint8_t* to;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t i = t.global_index() / 32; i < tiles; i += t.global_size() / 32) {
      const std::int64_t begin = t.load(first_group + i), n = t.load(first_group + i + 1) - begin;
      const std::uint8_t* its = from + t.load(first + i);
      for (std::int64_t g = t.lane(); g < n; g += 32) to[begin + g] = t.load(its + g);
    }
  }
};

// The host's rule, on strips that are fetched for it.
template <class T, class O>
int side_bits_of(const CsrView<T, O>& a) {
  std::vector<index_t> columns;
  return side_bits_by_entries(
      a.rows, a.cols, tiles_rule_side_bits, [&](index_t begin, index_t end) {
        const O from = fetch(a.offsets + begin), to = fetch(a.offsets + end);
        columns = fetch(a.columns + from, static_cast<std::size_t>(to - from));
        return std::span<const index_t>(columns);
      });
}

// Sums of n + 1 numbers, of which the last is 0, in place; what it has become.
std::int64_t sum_all_before(std::int64_t n, std::int64_t* v) {
  exclusive_sum(n + 1, v, v);
  return fetch(v + n);
}

// Groups, places and values of all tiles.
template <class T>
void deal(Device device, TileArrays<T>& b, const SortedEntries<T>& e, std::uint8_t* groups) {
  const TilesView<T>& v = b.view;
  using Deal = DealTiles<Bits<T>>;
  // Enough warps to hide what memory takes, and scratch of at most 256 MiB.
  constexpr int warps_per_block = 4, warps_per_processor = 32;
  const std::int64_t each = (std::int64_t{16} << v.side_bits) +
                            std::int64_t{2 * Deal::numbers_per_warp + Deal::bytes_per_warp};
  const std::int64_t workers =
      std::min({std::int64_t{v.tiles}, (std::int64_t{1} << 28) / each,
                std::int64_t{simt::backend(device).info().processors} * warps_per_processor});
  const std::int64_t blocks = (workers + warps_per_block - 1) / warps_per_block;
  const auto warps = static_cast<std::size_t>(blocks * warps_per_block);
  DeviceArray<std::uint64_t> masks(device, warps << (v.side_bits + 1));
  DeviceArray<std::uint16_t> numbers(device, warps * Deal::numbers_per_warp);
  DeviceArray<std::uint8_t> bytes(device, warps * Deal::bytes_per_warp);
  if (warps > 0) simt::backend(device).clear(masks.data(), masks.bytes(), nullptr);
  launch({.blocks = static_cast<int>(blocks), .threads = 32 * warps_per_block},
         Deal{v.tiles, v.side_bits, b.first.data(), e.keys.data(),
              reinterpret_cast<const Bits<T>*>(e.values.data()), masks.data(), numbers.data(),
              bytes.data(), b.short_places.data(), b.long_rows.data(), b.long_columns.data(),
              reinterpret_cast<Bits<T>*>(b.values.data()), groups, b.first_group.data()});
  wait_for(device);  // before the scratch goes
}

}  // namespace

template <Value T, Offset O>
TileArrays<T> tiles_on_device(const CsrView<T, O>& a, int side_bits) {
  const Device device = current_device();
  TileArrays<T> b;
  TilesView<T>& v = b.view;
  v.rows = a.rows;
  v.cols = a.cols;
  v.side_bits = side_bits == 0 ? side_bits_of(a) : side_bits;
  v.nnz = a.nnz;
  const std::int64_t nnz = v.nnz;
  const auto n = static_cast<std::size_t>(nnz);
  const int shift = 2 * v.side_bits;

  SortedEntries<T> e = sort_entries(a, TileKey{v.grid_cols(), v.side_bits},
                                    shift + bits_for(std::int64_t{v.grid_rows()} * v.grid_cols()));
  const std::uint64_t* const in_order = e.keys.data();

  // What was sorted from has room for the heads, later for groups.
  auto* const heads = reinterpret_cast<std::int64_t*>(e.spare.data());
  for_each(nnz + 1, FindPlaces{nnz, shift, in_order, heads});
  const std::int64_t places = sum_all_before(nnz, heads);
  DeviceArray<std::int64_t> starts(device, static_cast<std::size_t>(places) + 1),
      pieces(device, static_cast<std::size_t>(places) + 1);
  for_each(nnz + 1, WriteTileStarts{nnz, heads, starts.data()});
  for_each(places + 1, CountPieces{places, tile_limit(nnz), starts.data(), pieces.data()});
  v.tiles = require_tiles(sum_all_before(places, pieces.data()));

  const auto m = static_cast<std::size_t>(v.tiles);
  b.tile_row = {device, m};
  b.tile_column = {device, m};
  b.first = {device, m + 1};
  b.first_group = {device, m + 1};
  for_each(places + 1,
           WriteTiles{places, v.grid_cols(), shift, in_order, starts.data(), pieces.data(),
                      b.first.data(), b.tile_row.data(), b.tile_column.data()});
  b.row_starts = {device, static_cast<std::size_t>(v.grid_rows()) + 1};
  for_each(std::int64_t{v.grid_rows()} + 1,
           FindLines<index_t>{v.grid_rows(), v.tiles, b.tile_row.data(), b.row_starts.data()});
  LineOrder<index_t> by_column = order_by_line(v.tiles, b.tile_column.data(), v.grid_cols());
  b.by_column = std::move(by_column.item);
  b.column_starts = std::move(by_column.starts);

  b.values = tile_entries<T>(device, n);
  if (v.is_short()) {
    b.short_places = tile_entries<std::uint16_t>(device, n);
  } else {
    b.long_rows = tile_entries<std::uint16_t>(device, n);
    b.long_columns = tile_entries<std::uint16_t>(device, n);
  }
  auto* const groups = reinterpret_cast<std::uint8_t*>(heads);
  deal(device, b, e, groups);
  const std::int64_t none = 0;
  simt::backend(device).copy(b.first_group.data() + m, &none, sizeof none, nullptr);
  v.groups = sum_all_before(v.tiles, b.first_group.data());
  b.group = {device, static_cast<std::size_t>(v.groups)};
  launch(one_thread_each(std::int64_t{v.tiles} * 32, 1 << 16),
         CopyGroups{v.tiles, b.first.data(), b.first_group.data(), groups, b.group.data()});
  b.connect();
  wait_for(device);  // before what was needed for a while goes; products may run on other streams
  return b;
}

#define NZ_INSTANTIATE(T, O) template TileArrays<T> tiles_on_device(const CsrView<T, O>&, int);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
