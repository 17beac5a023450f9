#pragma once
#include <cstdint>

#include "kernels/gpu/tile_tasks.hpp"
#include "simt/warp.hpp"

// One thread block multiplies some tiles of a strip; the sums of the strip's rows, or columns, are
// in shared memory until all of them are done. A warp takes a tile, 32 entries of a group at a
// time: they do not meet in a sum (formats/tiles.hpp), so with one warp a block there are no
// atomics and always the same bits. With short places the tile's part of x is in shared memory too.
namespace nz::NZ_HOME {

template <class T, class Place, bool transposed, int warps>
struct TileProduct {
  static constexpr const char* name =
      transposed ? "gpu/tile/balanced, transposed" : "gpu/tile/balanced";
  static constexpr bool keeps_x = sizeof(Place) == 2;
  static constexpr int max_threads = 32 * warps;
  static constexpr std::size_t shared_bytes(int side) {
    return static_cast<std::size_t>(side) * sizeof(T) * (keeps_x ? 2 : 1) + 16;
  }

  TilesView<T> a;
  const Place* places;
  TileTaskView<T> tasks;
  const T* x;
  Output<T> out;

  NZ_DEVICE void operator()(Thread& t) const {
    const int side = int(a.side());
    const SharedArray<T> sums = t.shared<T>(side);
    const SharedArray<T> near_x = t.shared<T>(keeps_x ? side : 0);
    const SharedArray<unsigned> flag = t.shared<unsigned>(1);
    const TileTask task = tasks.list[t.block()];
    for (int i = t.index(); i < side; i += t.block_size()) sums[i] = T(0);
    t.sync();
    for (int i = t.warp(); i < task.tiles; i += warps) {
      const index_t number = transposed ? a.by_column[task.first + i] : task.first + i;
      Tile{*this, t, sums, near_x, number}.add();
    }
    t.sync();
    const std::int64_t first = std::int64_t{task.strip} << a.side_bits;
    const std::int64_t outputs = transposed ? a.cols : a.rows;
    tasks.finish(t, task, side, sums, flag, [&](int i, T sum) {
      if (first + i < outputs) out.put(first + i, sum);
    });
  }

 private:
  static constexpr int at_once = 8;  // groups whose loads are on their way together

  struct Tile {
    const TileProduct& k;
    Thread& t;
    const SharedArray<T>& sums;
    const SharedArray<T>& near_x;
    const index_t number;

    NZ_DEVICE void add() const {
      const std::int64_t first_group = k.a.first_group[number];
      const int groups = int(k.a.first_group[number + 1] - first_group);
      const index_t line = transposed ? k.a.tile_row[number] : k.a.tile_column[number];
      const std::int64_t base = std::int64_t{line} << k.a.side_bits;
      std::int64_t entry = k.a.first[number];
      if constexpr (keeps_x) fetch_x(base);
      for (int g = 0; g < groups; g += 32) {
        // Each lane has a group: where its entries begin, its kind, its size.
        const int n = groups - g < 32 ? groups - g : 32;
        int size = 0, kind = 0;
        if (t.lane() < n) {
          const std::uint8_t group = t.load(k.a.group + first_group + g + t.lane());
          size = tile_group_size(group);
          kind = int(tile_group_kind(group));
        }
        int end = size;
        for (int by = 1; by < 32; by *= 2) {
          const int before = t.shuffle_up(end, by);
          if (t.lane() >= by) end += before;
        }
        const int word = (end - size) << 8 | kind << 6 | size;
        for (int i = 0; i < n; i += at_once) add_groups(entry, base, word, i);
        entry += t.shuffle(end, 31);
      }
      t.sync_warp();  // before x changes
    }

    NZ_DEVICE void fetch_x(std::int64_t base) const {
      const std::int64_t inputs = transposed ? k.a.rows : k.a.cols;
      const int side = int(k.a.side());
      NZ_UNROLL_BY(8)
      for (int i = t.lane(); i < side; i += 32)
        near_x[i] = base + i < inputs ? t.load(k.x + base + i) : T(0);
      t.sync_warp();
    }

    NZ_DEVICE static int row(Place p) { return int(p >> (sizeof(Place) * 4)); }
    NZ_DEVICE static int column(Place p) { return int(p & (sizeof(Place) == 2 ? 0xffu : 0xffffu)); }
    NZ_DEVICE static int output(Place p) { return transposed ? column(p) : row(p); }
    NZ_DEVICE static int input(Place p) { return transposed ? row(p) : column(p); }

    NZ_DEVICE void add_groups(std::int64_t entry, std::int64_t base, int word, int i) const {
      T value[at_once];
      Place place[at_once];
      int its[at_once];
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u) {
        its[u] = t.shuffle(word, i + u < 32 ? i + u : 31);
        if (i + u >= 32) its[u] = 0;
        value[u] = T(0);
        place[u] = 0;
        if (t.lane() < (its[u] & 63)) {
          const std::int64_t at = entry + (its[u] >> 8) + t.lane();
          value[u] = t.load_streaming(k.a.values + at);
          place[u] = t.load_streaming(k.places + at);
        }
      }
      if constexpr (!keeps_x) {
        NZ_UNROLL
        for (int u = 0; u < at_once; ++u)
          if (t.lane() < (its[u] & 63)) value[u] *= t.load(k.x + base + input(place[u]));
      }
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u) {
        if ((its[u] & 63) == 0) break;  // the whole warp
        add_group(value[u], place[u], its[u]);
      }
    }

    NZ_DEVICE void add_group(T value, Place place, int its) const {
      constexpr auto meeting = transposed ? TileGroup::column_run : TileGroup::row_run;
      const int size = its & 63;
      if constexpr (keeps_x) {
        if (t.lane() < size) value *= T(near_x[input(place)]);
      }
      if ((its >> 6 & 3) == int(meeting)) {
        value = sum_down(t, value);
        if (t.lane() == 0) add_to(output(place), value);
      } else if (t.lane() < size) {
        add_to(output(place), value);
      }
      t.sync_warp();
    }
    NZ_DEVICE void add_to(int i, T value) const {
      if constexpr (warps == 1)
        sums[i] += value;
      else
        t.atomic_add(sums, i, value);
    }
  };
};

}  // namespace nz::NZ_HOME
