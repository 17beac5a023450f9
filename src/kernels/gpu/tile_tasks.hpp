#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/formats/tiles.hpp>

#include "kernels/gpu/gpu_product.hpp"

// Work for thread blocks on tiles (formats/tiles.hpp): some neighbouring tiles of a strip, a row of
// tiles, or a column of them for the transposed product. Strips are cut by the groups they have, so
// that tasks are about equal. The tasks of a strip put their sums together without waiting for each
// other: the last to come adds all, always in their order.
namespace nz::NZ_HOME {

struct alignas(16) TileTask {
  index_t strip;
  index_t first;  // tile, in the order of the direction
  int tiles;
  int piece;   // the first task of the strip
  int pieces;  // of the strip
};

// What a kernel needs of them.
template <class T>
struct TileTaskView {
  const TileTask* list;
  int count;
  T* partial;         // a side each
  unsigned* arrived;  // for the first task of a strip

  // For a warp that has the sums of a task in shared memory from `at` on; `put(i, sum)` takes what
  // the strip has in all.
  template <class Put>
  NZ_DEVICE void finish_warp(Thread& t, int which, int side, const SharedArray<T>& sums, int at,
                             Put&& put) const {
    const TileTask& task = list[which];
    keep(t.lane(), 32, which, side, sums, at, put);
    if (task.pieces == 1) return;
    t.fence();
    t.sync_warp();
    unsigned came = 0;
    if (t.lane() == 0) came = t.atomic_add(arrived + task.piece, 1u);
    if (t.shuffle(came, 0) + 1 != static_cast<unsigned>(task.pieces)) return;
    t.sync_warp();  // what lane 0 has seen, all lanes see
    add_all(t, t.lane(), 32, task, side, put);
  }
  // The same for a block; `flag` is in shared memory too, one element.
  template <class Put>
  NZ_DEVICE void finish_block(Thread& t, int which, int side, const SharedArray<T>& sums,
                              const SharedArray<unsigned>& flag, Put&& put) const {
    const TileTask& task = list[which];
    keep(t.index(), t.block_size(), which, side, sums, 0, put);
    if (task.pieces == 1) return;
    t.fence();
    t.sync();
    if (t.index() == 0) flag[0] = t.atomic_add(arrived + task.piece, 1u);
    t.sync();
    if (unsigned(flag[0]) + 1 != static_cast<unsigned>(task.pieces)) return;
    add_all(t, t.index(), t.block_size(), task, side, put);
  }

 private:
  template <class Put>
  NZ_DEVICE void keep(int first, int step, int which, int side, const SharedArray<T>& sums, int at,
                      Put&& put) const {
    T* const mine = partial + std::int64_t{which} * side;
    const bool all = list[which].pieces == 1;
    for (int i = first; i < side; i += step) {
      const T sum = sums[at + i];
      if (all)
        put(i, sum);
      else
        mine[i] = sum;
    }
  }
  template <class Put>
  NZ_DEVICE void add_all(Thread& t, int first, int step, const TileTask& task, int side,
                         Put&& put) const {
    t.fence();
    // Four outputs of four tasks at a time, whose loads are on their way together.
    for (int base = first; base < side; base += 4 * step) {
      const T* from = partial + std::int64_t{task.piece} * side + base;
      T all[4] = {};
      for (int p = 0; p < task.pieces; p += 4) {
        T part[4][4];
        NZ_UNROLL
        for (int u = 0; u < 4; ++u) {
          if (p + u >= task.pieces) break;
          NZ_UNROLL
          for (int j = 0; j < 4; ++j)
            part[u][j] = base + j * step < side
                             ? t.load_coherent(from + std::int64_t{p + u} * side + j * step)
                             : T(0);
        }
        NZ_UNROLL
        for (int u = 0; u < 4; ++u) {
          if (p + u >= task.pieces) break;
          NZ_UNROLL
          for (int j = 0; j < 4; ++j) all[j] += part[u][j];
        }
      }
      NZ_UNROLL
      for (int j = 0; j < 4; ++j)
        if (base + j * step < side) put(base + j * step, all[j]);
    }
    if (first == 0) arrived[task.piece] = 0;  // for the next product
  }
};

template <Value T>
class TileTasks {
 public:
  TileTasks() = default;

  // `starts` of the strips and the end; `groups_of(i)`: of tile i in the direction's order. All in
  // host memory. About `tasks` of them, where there is enough to do.
  template <class GroupsOf>
  TileTasks(std::span<const index_t> starts, int side, std::int64_t groups, std::int64_t tasks,
            GroupsOf&& groups_of) {
    const Device device = current_device();
    const auto tiles = static_cast<std::int64_t>(starts.back());
    const std::int64_t most =
        std::max<std::int64_t>(least_weight, (groups + tile_weight * tiles + tasks - 1) / tasks);
    std::vector<TileTask> all;
    bool shared = false;
    for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
      std::int64_t weight = 0;
      for (index_t i = starts[s]; i < starts[s + 1]; ++i) weight += groups_of(i) + tile_weight;
      const std::int64_t pieces = std::clamp<std::int64_t>((weight + most / 2) / most, 1,
                                                           std::max(1, starts[s + 1] - starts[s]));
      const std::size_t first = all.size();
      std::int64_t done = 0;
      index_t i = starts[s];
      for (std::int64_t p = 0; p < pieces; ++p) {
        const index_t begin = i;
        while (i < starts[s + 1] && (done < weight * (p + 1) / pieces || p + 1 == pieces))
          done += groups_of(i++) + tile_weight;
        if (i == begin && all.size() > first) continue;
        all.push_back({static_cast<index_t>(s), begin, i - begin, static_cast<int>(first), 0});
      }
      for (std::size_t k = first; k < all.size(); ++k)
        all[k].pieces = static_cast<int>(all.size() - first);
      shared = shared || all.size() - first > 1;
    }
    tasks_ = {device, std::span<const TileTask>(all)};
    if (!shared) return;
    const std::vector<unsigned> zeros(all.size());
    arrived_ = {device, std::span<const unsigned>(zeros)};
    partial_ = {device, all.size() * static_cast<std::size_t>(side)};
  }

  int count() const { return static_cast<int>(tasks_.size()); }
  TileTaskView<T> view() const {
    return {tasks_.data(), count(), partial_.data(), arrived_.data()};
  }
  std::size_t bytes() const { return tasks_.bytes() + partial_.bytes() + arrived_.bytes(); }

 private:
  static constexpr std::int64_t tile_weight = 2;  // what a tile costs beside its groups
  static constexpr std::int64_t least_weight = 64;

  DeviceArray<TileTask> tasks_;
  mutable DeviceArray<T> partial_;
  mutable DeviceArray<unsigned> arrived_;
};

}  // namespace nz::NZ_HOME
