#pragma once
#include <cstdint>

#include "kernels/gpu/tile/entries.hpp"
#include "kernels/gpu/tile/tasks.hpp"
#include "kernels/gpu/tile/walk.hpp"

// The product by tiles with long places, in two steps: an entry's product is written where the
// entry lies, then products are added. The first step takes tiles that share a part of x, the
// second those that share sums; either has that part in shared memory. So nothing is gathered from
// memory, where each entry would cost a sector of 32 bytes, for the price of writing and reading a
// product.
namespace nz::NZ_HOME {

inline constexpr int large_warps(std::size_t value_bytes) { return value_bytes == 4 ? 16 : 32; }
template <class T>
constexpr int large_blocks = sizeof(T) == 4 ? 2 : 1;  // as shared memory holds them
template <class T>
constexpr std::size_t large_bytes(int side) {
  return static_cast<std::size_t>(side) * sizeof(T) + 32;
}

// Tasks are along columns, or along rows for the transposed product.
template <class T, bool transposed>
struct LargeTileProducts {
  static constexpr const char* name =
      transposed ? "gpu/tile/balanced, products, transposed" : "gpu/tile/balanced, products";
  static constexpr int max_threads = 32 * large_warps(sizeof(T));
  static constexpr int min_blocks = large_blocks<T>;
  TilesView<T> a;
  const TileTask* tasks;
  const T* x;
  T* products;

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> part = t.shared<T>(int(a.side()));
    const TileTask task = tasks[t.block()];
    const std::int64_t base = std::int64_t{task.strip} << a.side_bits;
    const std::int64_t inputs = (transposed ? a.rows : a.cols) - base;
    const int n = int(inputs < a.side() ? inputs : a.side());
    for (int i = t.index(); i < n; i += t.block_size()) part[i] = t.load(x + base + i);
    t.sync();
    const std::uint16_t* const places = transposed ? a.long_rows : a.long_columns;
    constexpr int at_once = 4;
    TileEntries<T, !transposed>{a, t}.template each<at_once>(task, [&](const std::int64_t* at) {
      T value[at_once];
      int place[at_once];
      load_entries(t, a.values, places, at, value, place);
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u)
        if (at[u] >= 0) products[at[u]] = value[u] * T(part[place[u]]);
    });
  }
};

// Tasks are along rows, or along columns for the transposed product. The warps of a block share a
// task; with one warp there are no atomics, and the bits are always the same.
template <class T, bool transposed, int warps>
struct LargeTileSums {
  static constexpr const char* name =
      transposed ? "gpu/tile/balanced, sums, transposed" : "gpu/tile/balanced, sums";
  static constexpr int max_threads = 32 * warps;
  static constexpr int min_blocks = warps > 1 ? large_blocks<T> : 1;
  TilesView<T> a;
  TileTaskView<T> tasks;
  const T* products;
  Output<T> out;

  NZ_DEVICE void operator()(Thread& t) const {
    const int side = int(a.side());
    const SharedArray<T> sums = t.shared<T>(side);
    const SharedArray<unsigned> flag = t.shared<unsigned>(1);
    const TileTask task = tasks.list[t.block()];
    for (int i = t.index(); i < side; i += t.block_size()) sums[i] = T(0);
    t.sync();
    if constexpr (warps == 1)
      TileWalk<T, transposed>{a, products, t, sums}.add(task.first, task.tiles);
    else
      add(t, task, sums);
    tasks.finish(t, {t.block(), t.index(), t.block_size(), 1, 0}, side, sums, flag,
                 put_to_strip<transposed>(a, task.strip, out));
  }

  NZ_DEVICE void add(Thread& t, const TileTask& task, const SharedArray<T>& sums) const {
    const std::uint16_t* const places = transposed ? a.long_columns : a.long_rows;
    constexpr int at_once = 4;
    TileEntries<T, transposed>{a, t}.template each<at_once>(task, [&](const std::int64_t* at) {
      T value[at_once];
      int place[at_once];
      load_entries(t, products, places, at, value, place);
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u) {
        // In a run all have one place: an atomic would take them one after the other.
        const int first = t.shuffle(place[u], 0);
        if (t.all(place[u] == first || place[u] < 0)) {
          value[u] = reduce_to_first_lane(t, value[u]);
          if (t.lane() > 0) place[u] = -1;
        }
        if (place[u] >= 0) t.atomic_add(sums, place[u], value[u]);
      }
    });
  }
};

}  // namespace nz::NZ_HOME
