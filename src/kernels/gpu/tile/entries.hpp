#pragma once
#include <cstdint>

#include <nonzero/formats/tiles.hpp>

#include "kernels/gpu/tile/tasks.hpp"
#include "simt/warp.hpp"

// The entries of a task's tiles, 32 at a time for a warp, wherever tiles begin and end: of very
// sparse matrices most have only a few. The warps of a block take turns.
namespace nz::NZ_HOME {

template <class T, bool by_column>
struct TileEntries {
  const TilesView<T>& a;
  Thread& t;

  // do_these(at): where n entries of this lane lie, -1 where there is none any more. Lane 0 has one
  // of each 32, unless no lane has.
  template <int n, class Do>
  NZ_DEVICE void each(const TileTask& task, Do&& do_these) const {
    // 32 tiles at a time, one a lane.
    for (int done = t.warp(); done < task.tiles; done += 32 * t.warps()) {
      const int mine = done + t.lane() * t.warps();
      std::int64_t begin = 0;
      int size = 0;
      if (mine < task.tiles) {
        const index_t at = task.first + mine, tile = by_column ? t.load(a.by_column + at) : at;
        begin = t.load(a.first + tile);
        size = int(t.load(a.first + tile + 1) - begin);
      }
      const int end = inclusive_sum(t, size), total = t.shuffle(end, 31);
      begin -= end - size;
      int started = 0;  // tiles, before these 32 entries
      for (int from = 0; from < total; from += 32 * n) {
        std::int64_t at[n];
        NZ_UNROLL
        for (int u = 0; u < n; ++u) {
          const int now = from + 32 * u, starts = end - size - now;
          const unsigned heads =
              or_all(t, size > 0 && starts >= 0 && starts < 32 ? 1u << starts : 0u);
          const int its = started + bit_count(heads & (~0u >> (31 - t.lane()))) - 1;
          started += bit_count(heads);
          at[u] = t.shuffle(begin, its) + now + t.lane();
          if (now + t.lane() >= total) at[u] = -1;
        }
        do_these(at);
      }
    }
  }
};

// What entries of this lane have, all on its way at once; a place of -1 where there is none.
template <int n, class T>
NZ_DEVICE void load_entries(Thread& t, const T* values, const std::uint16_t* places,
                            const std::int64_t* at, T (&value)[n], int (&place)[n]) {
  NZ_UNROLL
  for (int u = 0; u < n; ++u) {
    value[u] = T(0);
    place[u] = -1;
    if (at[u] >= 0) {
      value[u] = t.load_streaming(values + at[u]);
      place[u] = t.load_streaming(places + at[u]);
    }
  }
}

}  // namespace nz::NZ_HOME
