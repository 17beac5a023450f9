#pragma once
#include <cstdint>

#include "kernels/gpu/panels/walk.hpp"

// Transposed products of staged tiles: y, scaled already, gets each entry's product by itself.
namespace nz::NZ_HOME {

// `Rows` as in walk.hpp, with row(t, number), the row that a number stands for.
template <class T, ValueCode code, class Rows>
struct StagedScatter {
  static constexpr const char* name = "gpu/panels/staged, transposed";
  StagedTilesView<T> a;
  T alpha;
  const T* x;
  T* y;
  Rows rows;

  NZ_DEVICE void operator()(Thread& t) const {
    const StagedTask task = rows.task(t);
    const int end = task.first + task.tiles;
    for (int tile = task.first + t.warp(); tile < end; tile += t.warps()) {
      StagedEntries<T, code> now;
      now.load(t, a, tile);
      const unsigned ends = now.lane & 0xffu;
      // Behind the last end of a panel there are no entries, only slots.
      const unsigned behind = t.ballot(ends != 0) >> t.lane() >> 1;
      const bool all = behind != 0 || tile + 1 < end || task.share.to > t.block();
      index_t number = staged_number(now.head) + static_cast<index_t>(now.lane >> staged_items);
      T from_x = 0;
      NZ_UNROLL
      for (int j = 0; j < staged_items; ++j) {
        if (!all && ends >> j == 0) continue;
        if (j == 0 || (ends >> (j - 1) & 1)) from_x = t.load(x + rows.row(t, number));
        t.atomic_add(y + task.column + staged_place<T>(now.columns.at(j)),
                     alpha * (value(t, now, j) * from_x));
        number += static_cast<index_t>(ends >> j & 1);
      }
    }
  }

 private:
  NZ_DEVICE T value(Thread& t, const StagedEntries<T, code>& now, int j) const {
    if constexpr (code == ValueCode::constant)
      return t.load(a.table);
    else if constexpr (code == ValueCode::table)
      return t.load(a.table + now.values.at(j));
    else
      return static_cast<T>(now.values.at(j));
  }
};

template <class T, class Rows>
void launch_staged_scatter(CUstream_st* stream, const StagedTiles<T>& a, int blocks, int threads,
                           T alpha, const T* x, T* y, const Rows& rows) {
  for_code<T>(a.code, [&]<ValueCode code>() {
    launch({.blocks = blocks, .threads = threads, .stream = stream},
           StagedScatter<T, code, Rows>{a.view(), alpha, x, y, rows});
  });
}

}  // namespace nz::NZ_HOME
