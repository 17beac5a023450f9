#include "kernels/gpu/coo/tiles.hpp"
#include "device/each.hpp"
#include "device/fetch.hpp"
#include "kernels/gpu/parts/search.hpp"

#include <vector>

namespace nz::NZ_HOME {
namespace {

constexpr int threads = 256;

// A thread a tile looks for the ends of its first and last row.
struct FindTileSpans {
  static constexpr const char* name = "find the spans of tiles";
  std::int64_t nnz, size;
  const index_t* row;
  int count;
  TileSpan* spans;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t tile = t.global_index();
    if (tile >= count) return;
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

template <class V>
DeviceArray<V> zeros(Device device, std::size_t n) {
  return {device, std::span<const V>(std::vector<V>(n, V(0)))};
}

}  // namespace

template <class T>
TileStore<T>::TileStore(const CooView<T>& a, int entries_per_step, int steps) : steps_(steps) {
  if (a.nnz == 0) return;
  const Device device = current_device();
  const std::int64_t size = std::int64_t{entries_per_step} * steps;
  const int tiles = blocks_for(a.nnz, size);
  spans_ = {device, static_cast<std::size_t>(tiles)};
  launch({.blocks = blocks_for(tiles, threads), .threads = threads_for(tiles, threads)},
         FindTileSpans{a.nnz, size, a.row, tiles, spans_.data()});

  occupied_ = zeros<unsigned>(device, (static_cast<std::size_t>(a.rows) + 31) / 32);
  auto with_entries = zeros<int>(device, 1);
  for_each(a.nnz, MarkRows{a.row, occupied_.data(), with_entries.data()});
  if (fetch(with_entries.data()) == a.rows) occupied_ = {};
}

template class TileStore<float>;
template class TileStore<double>;

}  // namespace nz::NZ_HOME
