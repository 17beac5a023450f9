#pragma once
#include <cstdint>

#include <nonzero/formats/tiles.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "simt/warp.hpp"

// One warp adds the products of some tiles with long places to sums in shared memory
// (formats/tiles.hpp), 32 entries of a group at a time, x from the cache. What it must know of 32
// tiles is read at once, a tile a lane, and the next tile's groups are on their way while a tile is
// added. Full mixed groups take a path without questions.
namespace nz::NZ_HOME {

// alone: no other warp adds to the sums; otherwise they are added with atomics.
template <class T, bool transposed, bool alone>
struct TileWalk {
  const TilesView<T>& a;
  const T* x;
  Thread& t;
  const SharedArray<T>& sums;

  // Tiles `begin`, begin + step, ... of `tiles` from `first` on, in the order of the direction.
  NZ_DEVICE void add(index_t first, int tiles, int begin, int step) {
    const int mine = begin < tiles ? (tiles - begin + step - 1) / step : 0;
    for (int done = 0; done < mine; done += 32) {
      const int n = mine - done < 32 ? mine - done : 32;
      read_heads(first + begin + done * step, step, n);
      look_ahead(0);
      for (int i = 0; i < n; ++i) {
        const Head now = next;
        const int group = next_group;
        if (i + 1 < n) look_ahead(i + 1);
        add_tile(now, group);
      }
    }
  }

  struct Head {
    std::int64_t entry = 0, group = 0;  // the first ones
    int groups = 0;
    index_t line = 0;  // of x
  };
  Head head;           // of one tile a lane
  Head next;           // the same in all lanes
  int next_group = 0;  // of the next tile, a group a lane

  NZ_DEVICE void read_heads(index_t first, int step, int n) {
    if (t.lane() >= n) return;
    const index_t at = first + t.lane() * step;
    const index_t tile = transposed ? t.load(a.by_column + at) : at;
    head.entry = t.load(a.first + tile);
    head.group = t.load(a.first_group + tile);
    head.groups = int(t.load(a.first_group + tile + 1) - head.group);
    head.line = t.load((transposed ? a.tile_row : a.tile_column) + tile);
  }

  NZ_DEVICE void look_ahead(int i) {
    next = {t.shuffle(head.entry, i), t.shuffle(head.group, i), t.shuffle(head.groups, i),
            t.shuffle(head.line, i)};
    next_group = t.lane() < next.groups ? int(t.load(a.group + next.group + t.lane())) : -1;
  }

  NZ_DEVICE static int output(unsigned p) { return int(transposed ? p & 0xffff : p >> 16); }
  NZ_DEVICE static int input(unsigned p) { return int(transposed ? p >> 16 : p & 0xffff); }

  // `group`: of the tile's first 32 groups, one a lane; -1: there is none.
  NZ_DEVICE void add_tile(const Head& tile, int group) {
    constexpr int full = tile_group(TileGroup::mixed, 32);
    const std::int64_t base = std::int64_t{tile.line} << a.side_bits;
    std::int64_t entry = tile.entry;
    for (int g = 0;;) {
      const unsigned others = ~t.ballot(group == full);
      const int lead = others == 0 ? 32 : bit_count((others & (0u - others)) - 1);
      int done = 0;
      for (; done + 8 <= lead; done += 8) entry = add_full<8>(entry, base);
      if (done + 4 <= lead) {
        entry = add_full<4>(entry, base);
        done += 4;
      }
      const int n = tile.groups - g < 32 ? tile.groups - g : 32;
      if (done < n) entry = add_rest(entry, base, group, done, n);
      g += 32;
      if (g >= tile.groups) return;
      group = g + t.lane() < tile.groups ? int(t.load(a.group + tile.group + g + t.lane())) : -1;
    }
  }

  // So many full groups, all of whose loads are on their way together; where the next begins.
  template <int n>
  NZ_DEVICE std::int64_t add_full(std::int64_t entry, std::int64_t base) {
    const T* from = a.values + entry + t.lane();
    const std::uint32_t* place_from = a.long_places + entry + t.lane();
    T value[n];
    unsigned place[n];
    NZ_UNROLL
    for (int u = 0; u < n; ++u) value[u] = t.load_streaming(from + 32 * u);
    NZ_UNROLL
    for (int u = 0; u < n; ++u) place[u] = t.load_streaming(place_from + 32 * u);
    NZ_UNROLL
    for (int u = 0; u < n; ++u) value[u] *= input_at(base, place[u]);
    NZ_UNROLL
    for (int u = 0; u < n; ++u) {
      add_to(output(place[u]), value[u]);
      t.sync_warp();
    }
    return entry + 32 * n;
  }

  // Groups `from` to n of those that the lanes have, of any kind; where the next begins.
  NZ_DEVICE std::int64_t add_rest(std::int64_t entry, std::int64_t base, int group, int from,
                                  int n) {
    constexpr int at_once = 4;
    NZ_ROLLED
    for (int g = from; g < n; g += at_once) {
      T value[at_once];
      unsigned place[at_once];
      int its[at_once], size[at_once];
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u) {
        size[u] = 0;
        if (g + u >= n) break;
        its[u] = t.shuffle(group, g + u);
        size[u] = tile_group_size(std::uint8_t(its[u]));
        value[u] = T(0);
        place[u] = 0;
        if (t.lane() < size[u]) {
          value[u] = t.load_streaming(a.values + entry + t.lane());
          place[u] = t.load_streaming(a.long_places + entry + t.lane());
        }
        entry += size[u];
      }
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u) {
        if (g + u >= n) break;
        if (t.lane() < size[u]) value[u] *= input_at(base, place[u]);
      }
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u) {
        if (g + u >= n) break;
        add_group(value[u], place[u], its[u], size[u]);
      }
    }
    return entry;
  }
  NZ_DEVICE void add_group(T value, unsigned place, int group, int size) {
    constexpr auto meeting = transposed ? TileGroup::column_run : TileGroup::row_run;
    if (tile_group_kind(std::uint8_t(group)) == meeting) {
      value = sum_down(t, value);
      if (t.lane() == 0) add_to(output(place), value);
    } else if (t.lane() < size) {
      add_to(output(place), value);
    }
    t.sync_warp();
  }

  NZ_DEVICE T input_at(std::int64_t base, unsigned place) const {
    return t.load(x + base + input(place));
  }
  NZ_DEVICE void add_to(int i, T value) const {
    if constexpr (alone)
      sums[i] += value;
    else
      t.atomic_add(sums, i, value);
  }
};

}  // namespace nz::NZ_HOME
