#pragma once
#include <cstdint>

#include "kernels/gpu/tile/stream.hpp"
#include "kernels/gpu/tile/tasks.hpp"

// The product by tiles with short places: each warp has a task (tile/tasks.hpp) and sums of its
// own. No atomics, always the same bits.
namespace nz::NZ_HOME {

template <class T, bool transposed>
struct SmallTiles {
  static constexpr const char* name =
      transposed ? "gpu/tile/balanced, transposed" : "gpu/tile/balanced";
  using Stream = TileStream<T, transposed>;
  static constexpr int most_warps = 8;
  static constexpr int max_threads = 32 * most_warps;
  static constexpr int min_blocks = sizeof(T) == 4 ? 3 : 2;  // as many as shared memory holds
  // Nothing to spare: six blocks of four warps on float just fit into a processor of an H200.
  static constexpr std::size_t shared_bytes(int warps, int side) {
    return Stream::Room::bytes(warps, side) + static_cast<std::size_t>(warps) * sizeof(unsigned);
  }

  TilesView<T> a;
  TileTaskView<T> tasks;
  const T* x;
  bool x_in_pieces;
  Output<T> out;

  NZ_DEVICE void operator()(Thread& t) const {
    const int side = int(a.side()), first = t.block() * t.warps(), w = first + t.warp();
    const typename Stream::Room room(t, side);
    const SharedArray<unsigned> flags = t.shared<unsigned>(t.warps());
    TileTeam team{};
    TileTask task{};
    if (w < tasks.count) {
      task = tasks.list[w];
      const int at = t.warp() * side;
      for (int i = t.lane(); i < side; i += 32) room.sums[at + i] = T(0);
      t.sync_warp();
      const auto flush = [&](index_t strip) {
        const auto put = put_to_strip<transposed>(a, strip, out);
        for (int i = t.lane(); i < side; i += 32) {
          put(i, room.sums[at + i]);
          room.sums[at + i] = T(0);
        }
        t.sync_warp();
      };
      Stream stream{a, x, t, room, x_in_pieces};
      stream.add(task, flush);
      if (task.pieces == 1) {
        for (index_t s = stream.strip; s < task.strip + task.strips; ++s) flush(s);
      } else {
        const int begin = task.piece > first ? task.piece : first;
        const int end = task.piece + task.pieces, next = first + t.warps();
        const int warps = (end < next ? end : next) - begin;
        team = {begin, 32 * (w - begin) + t.lane(), 32 * warps, warps, (begin - first) * side};
      }
    }
    tasks.finish(t, team, side, room.sums, flags, put_to_strip<transposed>(a, task.strip, out));
  }
};

}  // namespace nz::NZ_HOME
