#pragma once
#include <cstdint>

#include <nonzero/formats/tiles.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "simt/warp.hpp"

// One warp adds the products of some tiles to sums in shared memory (formats/tiles.hpp), 32 entries
// of a group at a time. What it must know of 32 tiles is read at once, a tile a lane; the part of x
// that the next tile needs, and its groups, are on their way while a tile is added. Full mixed
// groups, nearly all, take a path without questions: on an H200 instructions decide, and what asks
// each group for its size and kind needed four times as many.
namespace nz::NZ_HOME {

// Place: std::uint16_t, then x is kept in shared memory tile by tile, or std::uint32_t.
// alone: no other warp adds to the sums; otherwise they are added with atomics.
template <class T, class Place, bool transposed, bool alone>
struct TileWalk {
  static constexpr bool keeps_x = sizeof(Place) == 2;
  static constexpr int most_side = 256;  // where x is kept

  const TilesView<T>& a;
  const Place* places;
  const T* x;
  Thread& t;
  const SharedArray<T>& sums;
  int sum_at;  // where this warp's, or block's, begin
  const SharedArray<T>& near_x;
  int near_at;

  // Tiles first, first + step, ... of `tiles`, numbered in the order of the direction.
  NZ_DEVICE void add(index_t first, int tiles, int begin, int step) {
    const int mine = begin < tiles ? (tiles - begin + step - 1) / step : 0;
    for (int done = 0; done < mine; done += 32) {
      const int n = mine - done < 32 ? mine - done : 32;
      read_heads(first + begin + done * step, step, n);
      look_ahead(0);
      for (int i = 0; i < n; ++i) {
        const int groups = t.shuffle(head_groups, i);
        const std::int64_t entry = t.shuffle(head_entry, i);
        const std::int64_t base = std::int64_t{t.shuffle(head_line, i)} << a.side_bits;
        const std::uint8_t* its = a.group + t.shuffle(head_group, i);
        if constexpr (keeps_x) store_x();
        const int group = next_group;
        if (i + 1 < n) look_ahead(i + 1);
        add_tile(entry, base, its, groups, group);
      }
    }
  }

  // One tile a lane.
  std::int64_t head_entry = 0, head_group = 0;
  int head_groups = 0;
  index_t head_line = 0;  // of x
  // Of the next tile: a group a lane, and x.
  int next_group = 0;
  static constexpr int held = keeps_x ? most_side / 32 : 1;
  T next_x[held] = {};

  NZ_DEVICE void read_heads(index_t first, int step, int n) {
    if (t.lane() >= n) return;
    const index_t at = first + t.lane() * step;
    const index_t tile = transposed ? t.load(a.by_column + at) : at;
    head_entry = t.load(a.first + tile);
    head_group = t.load(a.first_group + tile);
    head_groups = int(t.load(a.first_group + tile + 1) - head_group);
    head_line = t.load((transposed ? a.tile_row : a.tile_column) + tile);
  }

  NZ_DEVICE void look_ahead(int i) {
    const std::int64_t group = t.shuffle(head_group, i);
    const int groups = t.shuffle(head_groups, i);
    next_group = t.lane() < groups ? int(t.load(a.group + group + t.lane())) : -1;
    if constexpr (keeps_x) {
      const std::int64_t base = std::int64_t{t.shuffle(head_line, i)} << a.side_bits;
      const std::int64_t inputs = transposed ? a.rows : a.cols;
      const T* from = x + base + t.lane();
      const auto left = int((inputs - base < a.side() ? inputs - base : a.side())) - t.lane();
      NZ_UNROLL
      for (int j = 0; j < held; ++j) next_x[j] = 32 * j < left ? t.load(from + 32 * j) : T(0);
    }
  }
  NZ_DEVICE void store_x() {
    t.sync_warp();  // the tile before is done
    NZ_UNROLL
    for (int j = 0; j < held; ++j) near_x[near_at + 32 * j + t.lane()] = next_x[j];
    t.sync_warp();
  }

  NZ_DEVICE static int row(unsigned p) { return int(p >> (sizeof(Place) * 4)); }
  NZ_DEVICE static int column(unsigned p) {
    return int(p & (sizeof(Place) == 2 ? 0xffu : 0xffffu));
  }
  NZ_DEVICE static int output(unsigned p) { return transposed ? column(p) : row(p); }
  NZ_DEVICE static int input(unsigned p) { return transposed ? row(p) : column(p); }

  static constexpr int at_once = 8;  // groups whose loads are on their way together

  // `group`: of the first 32 groups, one a lane; -1: there is none.
  NZ_DEVICE void add_tile(std::int64_t entry, std::int64_t base, const std::uint8_t* its,
                          int groups, int group) {
    constexpr int full = tile_group(TileGroup::mixed, 32);
    for (int g = 0;;) {
      const unsigned others = ~t.ballot(group == full);
      const int lead = others == 0 ? 32 : bit_count((others & (0u - others)) - 1);
      int done = 0;
      for (; done + at_once <= lead; done += at_once) {
        add_full(entry, base);
        entry += 32 * at_once;
      }
      const int n = groups - g < 32 ? groups - g : 32;
      if (done < n) entry += add_rest(entry, base, group, done, n);
      g += 32;
      if (g >= groups) return;
      group = g + t.lane() < groups ? int(t.load(its + g + t.lane())) : -1;
    }
  }

  NZ_DEVICE void add_full(std::int64_t entry, std::int64_t base) {
    const T* from = a.values + entry + t.lane();
    const Place* place_from = places + entry + t.lane();
    T value[at_once];
    unsigned place[at_once];
    NZ_UNROLL
    for (int u = 0; u < at_once; ++u) value[u] = t.load_streaming(from + 32 * u);
    NZ_UNROLL
    for (int u = 0; u < at_once; ++u) place[u] = t.load_streaming(place_from + 32 * u);
    NZ_UNROLL
    for (int u = 0; u < at_once; ++u) value[u] *= input_at(base, place[u]);
    NZ_UNROLL
    for (int u = 0; u < at_once; ++u) {
      add_to(output(place[u]), value[u]);
      t.sync_warp();
    }
  }

  // Groups `from` to n of those that the lanes have, of any kind; how many entries they have.
  NZ_DEVICE int add_rest(std::int64_t entry, std::int64_t base, int group, int from, int n) {
    const bool one = t.lane() >= from && t.lane() < n;
    const int size = one ? tile_group_size(std::uint8_t(group)) : 0;
    int end = size;
    for (int by = 1; by < 32; by *= 2) {
      const int before = t.shuffle_up(end, by);
      if (t.lane() >= by) end += before;
    }
    // Where a group's entries begin, its kind, its size.
    const int word = one ? (end - size) << 8 | (group >> 5) << 6 | size : 0;
    const T* values_from = a.values + entry + t.lane();
    const Place* places_from = places + entry + t.lane();
    NZ_ROLLED
    for (int g = from; g < n; g += at_once) {
      T value[at_once];
      unsigned place[at_once];
      int words[at_once];
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u) {
        words[u] = t.shuffle(word, (g + u) & 31);
        if (g + u >= n) words[u] = 0;
        value[u] = T(0);
        place[u] = 0;
        if (t.lane() < (words[u] & 63)) {
          value[u] = t.load_streaming(values_from + (words[u] >> 8));
          place[u] = t.load_streaming(places_from + (words[u] >> 8));
        }
      }
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u)
        if (t.lane() < (words[u] & 63)) value[u] *= input_at(base, place[u]);
      NZ_UNROLL
      for (int u = 0; u < at_once; ++u) {
        if (words[u] == 0) break;  // the whole warp
        add_group(value[u], place[u], words[u]);
      }
    }
    return t.shuffle(end, 31);
  }
  NZ_DEVICE void add_group(T value, unsigned place, int word) {
    constexpr auto meeting = transposed ? TileGroup::column_run : TileGroup::row_run;
    if ((word >> 6 & 3) == int(meeting)) {
      value = sum_down(t, value);
      if (t.lane() == 0) add_to(output(place), value);
    } else if (t.lane() < (word & 63)) {
      add_to(output(place), value);
    }
    t.sync_warp();
  }

  NZ_DEVICE T input_at(std::int64_t base, unsigned place) const {
    if constexpr (keeps_x)
      return near_x[near_at + input(place)];
    else
      return t.load(x + base + input(place));
  }
  NZ_DEVICE void add_to(int i, T value) const {
    if constexpr (alone)
      sums[sum_at + i] += value;
    else
      t.atomic_add(sums, sum_at + i, value);
  }
};

}  // namespace nz::NZ_HOME
