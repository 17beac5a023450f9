#pragma once
#include <cstdint>

#include "kernels/gpu/tile_stream.hpp"
#include "kernels/gpu/tile_tasks.hpp"
#include "kernels/gpu/tile_walk.hpp"

// Tasks on tiles (tile_tasks.hpp): the sums of a strip's rows, or columns, are in shared memory
// until the task is done.
namespace nz::NZ_HOME {

// What they share: the matrix, the tasks, the vectors.
template <class T, bool transposed>
struct TileProduct {
  TilesView<T> a;
  TileTaskView<T> tasks;
  const T* x;
  bool x_in_pieces;
  Output<T> out;

  // For TileTaskView: what the strip of a task has in all.
  NZ_DEVICE auto put_to(const TileTask& task) const {
    const std::int64_t first = std::int64_t{task.strip} << a.side_bits;
    return [this, first](int i, T sum) {
      if (first + i < (transposed ? a.cols : a.rows)) out.put(first + i, sum);
    };
  }
};

// Short places: each warp has a task and sums of its own. No atomics, always the same bits.
template <class T, bool transposed>
struct ShortTiles : TileProduct<T, transposed> {
  static constexpr const char* name =
      transposed ? "gpu/tile/balanced, transposed" : "gpu/tile/balanced";
  using Stream = TileStream<T, transposed>;
  static constexpr int tasks_a_block = 4;
  static constexpr int max_threads = 32 * tasks_a_block;
  static constexpr std::size_t shared_bytes(int side) {
    return Stream::Room::bytes(tasks_a_block, side) + 16 * 4;
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const int side = int(this->a.side()), w = t.block() * t.warps() + t.warp();
    const typename Stream::Room room(t, side);
    if (w >= this->tasks.count) return;
    const TileTask task = this->tasks.list[w];
    const int at = t.warp() * side;
    for (int i = t.lane(); i < side; i += 32) room.sums[at + i] = T(0);
    t.sync_warp();
    Stream{this->a, this->x, t, room, this->x_in_pieces}.add(task.first, task.tiles);
    t.sync_warp();
    this->tasks.finish_warp(t, w, side, room.sums, at, this->put_to(task));
  }
};

// Long places, and sums that are too many to have them often: the warps of a block share a task.
// With one warp there are no atomics, and the bits are always the same.
template <class T, bool transposed, int warps>
struct LongTiles : TileProduct<T, transposed> {
  static constexpr const char* name =
      transposed ? "gpu/tile/balanced, large, transposed" : "gpu/tile/balanced, large";
  static constexpr int tasks_a_block = 1;
  static constexpr int max_threads = 32 * warps;
  static constexpr int min_blocks = warps > 1 && sizeof(T) == 4 ? 2 : 1;
  static constexpr std::size_t shared_bytes(int side) {
    return static_cast<std::size_t>(side) * sizeof(T) + 16;
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const int side = int(this->a.side());
    const SharedArray<T> sums = t.shared<T>(side);
    const SharedArray<unsigned> flag = t.shared<unsigned>(1);
    const TileTask task = this->tasks.list[t.block()];
    for (int i = t.index(); i < side; i += t.block_size()) sums[i] = T(0);
    t.sync();
    TileWalk<T, transposed, warps == 1>{this->a, this->x, t, sums}.add(task.first, task.tiles,
                                                                       t.warp(), t.warps());
    t.sync();
    this->tasks.finish_block(t, t.block(), side, sums, flag, this->put_to(task));
  }
};

}  // namespace nz::NZ_HOME
