#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/formats/tiles.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/parts/meeting.hpp"

// Work on tiles (formats/tiles.hpp): some neighbouring tiles of a strip, a row of tiles, or a
// column of them for the transposed product. Strips are cut by the groups they have, so that tasks
// are about equal. The sums that tasks of a strip have in one block are put together in shared
// memory; blocks do not wait for each other: the last to come adds all, always in their order.
namespace nz::NZ_HOME {

struct alignas(16) TileTask {
  index_t strip;
  int strips;     // whole ones; 1 where `pieces` tasks share a strip
  index_t first;  // tile, in the order of the direction
  int tiles;
  int piece;  // the first task of the strip
  int pieces;
};

// put(i, sum) takes what row i, or column i, of a strip has in all.
template <bool transposed, class T>
NZ_DEVICE auto put_to_strip(const TilesView<T>& a, index_t strip, const Output<T>& out) {
  const std::int64_t first = std::int64_t{strip} << a.side_bits;
  return [&a, &out, first](int i, T sum) {
    if (first + i < (transposed ? a.cols : a.rows)) out.put(first + i, sum);
  };
}

// The threads of a block that have sums of one strip in shared memory, `arrays` of them, one behind
// the other from `at` on.
struct TileTeam {
  int which;        // its first task
  int lane, lanes;  // of the thread, of all
  int arrays, at;
};

// What a kernel needs of them.
template <class T>
struct TileTaskView {
  const TileTask* list;
  int count;
  int tasks_per_block;  // one behind the other
  T* partial;           // a side for each task
  unsigned* arrived;    // for the first task of a strip

  // For all threads of a block together, those without a task as well (team.lanes = 0). `flags` is
  // in shared memory, one for each task of the block. `put(i, sum)` takes what the strip has in
  // all.
  template <class Put>
  NZ_DEVICE void finish(Thread& t, const TileTeam& team, int side, const SharedArray<T>& sums,
                        const SharedArray<unsigned>& flags, Put&& put) const {
    if (partial == nullptr && tasks_per_block > 1) return;  // no strip is shared
    const TileTask task = team.lanes > 0 ? list[team.which] : TileTask{};
    const int flag = team.which % tasks_per_block;
    const int blocks =
        task.pieces == 0 ? 0 : block_of(task.piece + task.pieces - 1) - block_of(task.piece) + 1;
    t.sync();
    for (int i = team.lane; i < side && blocks > 0; i += team.lanes) {
      T sum = sums[team.at + i];
      for (int k = 1; k < team.arrays; ++k) sum += T(sums[team.at + k * side + i]);
      if (blocks == 1)
        put(i, sum);
      else
        partial[std::int64_t{team.which} * side + i] = sum;
    }
    t.fence();
    t.sync();
    const Meeting meeting{arrived + task.piece, blocks};
    if (blocks > 1 && team.lane == 0) flags[flag] = meeting.arrive(t);
    t.sync();
    if (blocks > 1 && unsigned(flags[flag]) != 0) {
      add_all(t, team, task, blocks, side, put);
      if (team.lane == 0) meeting.reset();
    }
  }

 private:
  NZ_DEVICE int block_of(int task) const { return task / tasks_per_block; }

  // A block keeps its sum where its first task of the strip has its room.
  template <class Put>
  NZ_DEVICE void add_all(Thread& t, const TileTeam& team, const TileTask& task, int blocks,
                         int side, Put&& put) const {
    constexpr int at_once = 8;
    Meeting::all_are_here(t);
    const T* const head = partial + std::int64_t{task.piece} * side;
    const T* const others =
        partial + std::int64_t{block_of(task.piece) + 1} * tasks_per_block * side;
    for (int i = team.lane; i < side; i += team.lanes) {
      T all = t.load_coherent(head + i);
      for (int b = 1; b < blocks; b += at_once) {
        T part[at_once];
        NZ_UNROLL
        for (int u = 0; u < at_once; ++u)
          part[u] =
              b + u < blocks
                  ? t.load_coherent(others + std::int64_t{b + u - 1} * tasks_per_block * side + i)
                  : T(0);
        NZ_UNROLL
        for (int u = 0; u < at_once; ++u)
          if (b + u < blocks) all += part[u];
      }
      put(i, all);
    }
  }
};

template <Value T>
class TileTasks {
 public:
  TileTasks() = default;

  // `starts` of the strips and the end; `groups_of(i)`: of tile i in the direction's order. All in
  // host memory. The device has room for `room` tasks at once. together: a task may have several
  // strips; otherwise each has a block of its own.
  template <class GroupsOf>
  TileTasks(const std::vector<index_t>& starts, int side, std::int64_t room, bool together,
            GroupsOf&& groups_of) {
    const Device device = current_device();
    const std::size_t strips = starts.size() - 1;
    std::vector<std::int64_t> weights(strips);
    std::int64_t all_weight = 0, largest = 0;
    for (std::size_t s = 0; s < strips; ++s) {
      weights[s] = strip_weight;
      for (index_t i = starts[s]; i < starts[s + 1]; ++i) weights[s] += groups_of(i) + tile_weight;
      all_weight += weights[s];
      largest = std::max(largest, weights[s]);
    }
    const auto share = [&](std::int64_t n) {
      return std::max(least_weight, (all_weight + n - 1) / n);
    };
    std::vector<TileTask> all;
    if (!together) {
      all = cut(starts, weights, share(rounds * room), together, groups_of);
    } else if (largest <= share(room)) {
      // Strips of a little more than the least, whose neighbours are worked on at the same time:
      // memory likes that better than few long tasks.
      all = cut(starts, weights, std::max(enough_weight, largest), together, groups_of);
      tasks_per_block_ = 4;
    } else {
      // One round, and no task too many for it; tasks that share a strip are in few blocks.
      std::int64_t most = share(room);
      do {
        all = cut(starts, weights, most, together, groups_of);
        most += most / 16 + 1;
      } while (static_cast<std::int64_t>(all.size()) > room);
      tasks_per_block_ = 8;
    }
    tasks_ = {device, std::span<const TileTask>(all)};
    pieces_ = static_cast<int>(
        std::count_if(all.begin(), all.end(), [](const TileTask& t) { return t.pieces > 1; }));
    side_ = static_cast<std::size_t>(side);
  }

  int count() const { return static_cast<int>(tasks_.size()); }
  int pieces() const { return pieces_; }  // tasks that share a strip with others
  int tasks_per_block() const { return tasks_per_block_; }
  simt::ScratchSize scratch_size() const {
    if (pieces_ == 0) return {};
    return simt::scratch_for<T>(tasks_.size(), tasks_.size() * side_);
  }
  const TileTask* list() const { return tasks_.data(); }
  TileTaskView<T> view(const simt::Scratch& s) const {
    if (pieces_ == 0) return {list(), count(), tasks_per_block_, nullptr, nullptr};
    return {list(), count(), tasks_per_block_, s.values<T>(), s.counters};
  }
  std::size_t bytes() const { return tasks_.bytes(); }

 private:
  // What a tile costs beside its groups, and a strip beside its tiles.
  static constexpr std::int64_t tile_weight = 4, strip_weight = 4;
  // The least that is worth a task of a strip, and of several.
  static constexpr std::int64_t least_weight = 16, enough_weight = 64;
  static constexpr std::int64_t rounds = 4;  // where each task has a block

  template <class GroupsOf>
  static std::vector<TileTask> cut(const std::vector<index_t>& starts,
                                   const std::vector<std::int64_t>& weights, std::int64_t most,
                                   bool together, GroupsOf&& groups_of) {
    std::vector<TileTask> all;
    std::int64_t filled = most;  // weight of the last task
    for (std::size_t s = 0; s < weights.size(); ++s) {
      const auto strip = static_cast<index_t>(s);
      const index_t begin = starts[s], tiles = starts[s + 1] - begin;
      const auto first = static_cast<int>(all.size());
      const std::int64_t weight = weights[s];
      const std::int64_t pieces = std::clamp<std::int64_t>(
          (weight + (together ? most - 1 : most / 2)) / most, 1, std::max(1, tiles));
      if (pieces == 1) {
        if (together && filled + weight <= most) {
          all.back().strips += 1;
          all.back().tiles += tiles;
          filled += weight;
        } else {
          all.push_back({strip, 1, begin, tiles, first, 1});
          filled = weight;
        }
        continue;
      }
      std::int64_t done = 0;
      index_t i = begin;
      for (std::int64_t p = 0; p < pieces; ++p) {
        const index_t from = i;
        while (i < starts[s + 1] && (done < weight * (p + 1) / pieces || p + 1 == pieces))
          done += groups_of(i++) + tile_weight;
        if (i > from) all.push_back({strip, 1, from, i - from, first, 0});
      }
      const int made = static_cast<int>(all.size()) - first;
      for (std::size_t k = static_cast<std::size_t>(first); k < all.size(); ++k)
        all[k].pieces = made;
      filled = most;
    }
    return all;
  }

  DeviceArray<TileTask> tasks_;
  int tasks_per_block_ = 1, pieces_ = 0;
  std::size_t side_ = 0;
};

}  // namespace nz::NZ_HOME
