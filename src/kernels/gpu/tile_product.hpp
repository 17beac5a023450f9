#pragma once
#include <cstdint>

#include "kernels/gpu/tile_tasks.hpp"
#include "kernels/gpu/tile_walk.hpp"

// Tasks on tiles (tile_tasks.hpp): the sums of a strip's rows, or columns, are in shared memory
// until the task is done. Either every warp has a task and sums of its own: no atomics, always the
// same bits. Or the warps of a block share a task, whose sums are too many to have them often, and
// add to them with atomics in shared memory.
namespace nz::NZ_HOME {

inline constexpr int tile_warps = 4;          // a block, with tasks of their own
inline constexpr int tile_shared_warps = 16;  // a block, with one task

template <class T, class Place, bool transposed>
struct TilePerWarp {
  static constexpr const char* name =
      transposed ? "gpu/tile/balanced, transposed" : "gpu/tile/balanced";
  using Walk = TileWalk<T, Place, transposed, true>;
  using PlaceType = Place;
  static constexpr int tasks_a_block(int side) { return side <= Walk::most_side ? tile_warps : 1; }
  static constexpr std::size_t shared_bytes(int side) {
    const int x = Walk::keeps_x ? Walk::most_side : 0;
    return static_cast<std::size_t>(tasks_a_block(side) * (side + x)) * sizeof(T);
  }
  static constexpr int threads(int side) { return 32 * tasks_a_block(side); }
  static constexpr int max_threads = 32 * tile_warps;

  TilesView<T> a;
  const Place* places;
  TileTaskView<T> tasks;
  const T* x;
  Output<T> out;

  NZ_DEVICE void operator()(Thread& t) const {
    const int side = int(a.side()), w = t.block() * t.warps() + t.warp();
    const SharedArray<T> sums = t.shared<T>(t.warps() * side);
    const SharedArray<T> near_x = t.shared<T>(Walk::keeps_x ? t.warps() * Walk::most_side : 0);
    if (w >= tasks.count) return;
    const TileTask task = tasks.list[w];
    const int at = t.warp() * side;
    for (int i = t.lane(); i < side; i += 32) sums[at + i] = T(0);
    t.sync_warp();
    Walk{a, places, x, t, sums, at, near_x, t.warp() * Walk::most_side}.add(task.first, task.tiles,
                                                                            0, 1);
    t.sync_warp();
    const std::int64_t first = std::int64_t{task.strip} << a.side_bits;
    const std::int64_t outputs = transposed ? a.cols : a.rows;
    tasks.finish_warp(t, w, side, sums, at, [&](int i, T sum) {
      if (first + i < outputs) out.put(first + i, sum);
    });
  }
};

template <class T, class Place, bool transposed>
struct TilePerBlock {
  static constexpr const char* name =
      transposed ? "gpu/tile/balanced, large, transposed" : "gpu/tile/balanced, large";
  using Walk = TileWalk<T, Place, transposed, false>;
  using PlaceType = Place;
  static constexpr int tasks_a_block(int) { return 1; }
  static constexpr std::size_t shared_bytes(int side) {
    return static_cast<std::size_t>(side) * sizeof(T) + 16;
  }
  static constexpr int threads(int) { return 32 * tile_shared_warps; }
  static constexpr int max_threads = 32 * tile_shared_warps;
  static constexpr int min_blocks = sizeof(T) == 4 ? 2 : 1;

  TilesView<T> a;
  const Place* places;
  TileTaskView<T> tasks;
  const T* x;
  Output<T> out;

  NZ_DEVICE void operator()(Thread& t) const {
    const int side = int(a.side());
    const SharedArray<T> sums = t.shared<T>(side);
    const SharedArray<unsigned> flag = t.shared<unsigned>(1);
    const TileTask task = tasks.list[t.block()];
    for (int i = t.index(); i < side; i += t.block_size()) sums[i] = T(0);
    t.sync();
    Walk{a, places, x, t, sums, 0, sums, 0}.add(task.first, task.tiles, t.warp(), t.warps());
    t.sync();
    const std::int64_t first = std::int64_t{task.strip} << a.side_bits;
    const std::int64_t outputs = transposed ? a.cols : a.rows;
    tasks.finish_block(t, t.block(), side, sums, flag, [&](int i, T sum) {
      if (first + i < outputs) out.put(first + i, sum);
    });
  }
};

}  // namespace nz::NZ_HOME
