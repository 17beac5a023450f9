#include "kernels/gpu/coo/tiles.hpp"
#include "device/each.hpp"
#include "device/fetch.hpp"
#include "kernels/gpu/parts/search.hpp"
#include "simt/backend.hpp"

namespace nz::NZ_HOME {
namespace {

// A thread a tile looks for the ends of its first and last row.
struct FindTileSpans {
  static constexpr const char* name = "find the spans of tiles";
  std::int64_t nnz, size;
  const index_t* row;
  TileSpan* spans;

  NZ_DEVICE void operator()(Thread&, std::int64_t tile) const {
    const std::int64_t begin = tile * size;
    const std::int64_t end = begin + size < nnz ? begin + size : nnz;
    const std::int64_t first = first_at_least(row[begin], 0, begin);
    const std::int64_t last = first_at_least(std::int64_t{row[end - 1]} + 1, end, nnz) - 1;
    spans[tile] = {static_cast<int>(first / size), static_cast<int>(last / size)};
  }

  // The first entry from low on with at least this row; high if there is none before it.
  NZ_DEVICE std::int64_t first_at_least(std::int64_t wanted, std::int64_t low,
                                        std::int64_t high) const {
    return partition_point(low, high, [&](std::int64_t k) { return row[k] < wanted; });
  }
};

// The entry that begins a row sets the row's bit: each is added once.
struct MarkRows {
  static constexpr const char* name = "mark rows";
  const index_t* row;
  unsigned* occupied;
  int* count;

  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    const index_t r = row[k];
    if (k > 0 && row[k - 1] == r) return;
    t.atomic_add(occupied + r / 32, 1u << (r % 32));
    t.atomic_add(count, 1);
  }
};

}  // namespace

CooTiles cut_into_tiles(const index_t* row, std::int64_t nnz, index_t rows, std::int64_t size) {
  if (nnz == 0) return {};
  const Device device = current_device();
  const int count = blocks_for(nnz, size);
  CooTiles tiles{{device, static_cast<std::size_t>(count)},
                 {device, (static_cast<std::size_t>(rows) + 31) / 32}};
  for_each(count, FindTileSpans{nnz, size, row, tiles.spans.data()});
  DeviceArray<int> with_entries(device, 1);
  simt::backend(device).clear(tiles.occupied.data(), tiles.occupied.bytes(), nullptr);
  simt::backend(device).clear(with_entries.data(), sizeof(int), nullptr);
  for_each(nnz, MarkRows{row, tiles.occupied.data(), with_entries.data()});
  if (fetch(with_entries.data()) == rows) tiles.occupied = {};
  return tiles;
}

}  // namespace nz::NZ_HOME
