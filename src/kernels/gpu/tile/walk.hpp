#pragma once
#include <cstdint>

#include <nonzero/formats/tiles.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "simt/warp.hpp"

// One warp adds products of some tiles with long places to sums in shared memory that no other
// adds to, a group at a time (formats/tiles.hpp): always in the same order. What it must know of 32
// tiles is read at once, a tile a lane, and the next tile's groups are on their way while a tile is
// added. Full mixed groups take a path without questions.
namespace nz::NZ_HOME {

template <class T, bool transposed>
struct TileWalk {
  const TilesView<T>& a;
  const T* products;  // where the entries lie
  Thread& t;
  const SharedArray<T>& sums;

  // `tiles` from `first` on, in the order of the direction.
  NZ_DEVICE void add(index_t first, int tiles) {
    for (int done = 0; done < tiles; done += 32) {
      const int n = tiles - done < 32 ? tiles - done : 32;
      read_heads(first + done, n);
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
  };
  Head head;           // of one tile a lane
  Head next;           // the same in all lanes
  int next_group = 0;  // of the next tile, a group a lane

  NZ_DEVICE void read_heads(index_t first, int n) {
    if (t.lane() >= n) return;
    const index_t at = first + t.lane();
    const index_t tile = transposed ? t.load(a.by_column + at) : at;
    head.entry = t.load(a.first + tile);
    head.group = t.load(a.first_group + tile);
    head.groups = int(t.load(a.first_group + tile + 1) - head.group);
  }

  NZ_DEVICE void look_ahead(int i) {
    next = {t.shuffle(head.entry, i), t.shuffle(head.group, i), t.shuffle(head.groups, i)};
    next_group = t.lane() < next.groups ? int(t.load(a.group + next.group + t.lane())) : -1;
  }

  NZ_DEVICE const std::uint16_t* outputs() const {
    return transposed ? a.long_columns : a.long_rows;
  }

  // `group`: of the tile's first 32 groups, one a lane; -1: there is none.
  NZ_DEVICE void add_tile(const Head& tile, int group) {
    constexpr int full = tile_group(TileGroup::mixed, 32);
    std::int64_t entry = tile.entry;
    for (int g = 0;;) {
      const unsigned others = ~t.ballot(group == full);
      const int lead = others == 0 ? 32 : lowest(others);
      int done = 0;
      for (; done + 8 <= lead; done += 8) entry = add_full<8>(entry);
      if (done + 4 <= lead) {
        entry = add_full<4>(entry);
        done += 4;
      }
      const int n = tile.groups - g < 32 ? tile.groups - g : 32;
      if (done < n) entry = add_rest(entry, group, done, n);
      g += 32;
      if (g >= tile.groups) return;
      group = g + t.lane() < tile.groups ? int(t.load(a.group + tile.group + g + t.lane())) : -1;
    }
  }

  // So many full groups, all of whose loads are on their way together; where the next begins.
  template <int n>
  NZ_DEVICE std::int64_t add_full(std::int64_t entry) {
    const T* from = products + entry + t.lane();
    const std::uint16_t* place_from = outputs() + entry + t.lane();
    T value[n];
    int place[n];
    NZ_UNROLL
    for (int u = 0; u < n; ++u) value[u] = t.load_streaming(from + 32 * u);
    NZ_UNROLL
    for (int u = 0; u < n; ++u) place[u] = t.load_streaming(place_from + 32 * u);
    NZ_UNROLL
    for (int u = 0; u < n; ++u) {
      add_to(place[u], value[u]);
      t.sync_warp();
    }
    return entry + 32 * n;
  }

  // Groups `from` to n of those that the lanes have, of any kind; where the next begins.
  NZ_DEVICE std::int64_t add_rest(std::int64_t entry, int group, int from, int n) {
    constexpr int at_once = 4;
    NZ_ROLLED
    for (int g = from; g < n; g += at_once) {
      T value[at_once];
      int place[at_once], its[at_once], size[at_once];
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u) {
        size[u] = 0;
        if (g + u >= n) break;
        its[u] = t.shuffle(group, g + u);
        size[u] = tile_group_size(std::uint8_t(its[u]));
        value[u] = T(0);
        place[u] = 0;
        if (t.lane() < size[u]) {
          value[u] = t.load_streaming(products + entry + t.lane());
          place[u] = t.load_streaming(outputs() + entry + t.lane());
        }
        entry += size[u];
      }
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u) {
        if (g + u >= n) break;
        add_group(value[u], place[u], its[u], size[u]);
      }
    }
    return entry;
  }
  NZ_DEVICE void add_group(T value, int place, int group, int size) {
    constexpr auto meeting = transposed ? TileGroup::column_run : TileGroup::row_run;
    if (tile_group_kind(std::uint8_t(group)) == meeting) {
      value = reduce_to_first_lane(t, value);
      if (t.lane() == 0) add_to(place, value);
    } else if (t.lane() < size) {
      add_to(place, value);
    }
    t.sync_warp();
  }

  NZ_DEVICE void add_to(int i, T value) const { sums[i] += value; }
};

}  // namespace nz::NZ_HOME
