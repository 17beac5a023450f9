#pragma once
#include <algorithm>
#include <cstdint>

#include "device/value_codes.hpp"
#include "kernels/gpu/panels/tiles.hpp"
#include "kernels/gpu/parts/row_meeting.hpp"
#include "simt/warp.hpp"

// The products of kernels that have x in shared memory. A gather that hits the L1 cache takes a
// cycle of the processor for each line that a warp touches, about one for each entry where columns
// are anywhere; shared memory serves several times as many. So a block, one a processor, brings
// its part of x there first, while the first entries are on their way, and its warps go through
// their tiles after that without waiting for each other.
//
// Slots behind a panel's last entry are multiplied as well, as column 0: what comes of them, NaN
// maybe, is behind the end of the last row and reaches no sum.
//
// A warp keeps the sum of the row that goes on from tile to tile. Rows that go through several
// warps meet in shared memory at the end, those that go through several blocks by
// parts/row_meeting.hpp.
namespace nz::NZ_HOME {

// Threads of a block: with doubles as they are, more would leave too few registers.
template <class T>
constexpr int most_staged_threads(ValueCode code) {
  return sizeof(T) == 8 && code == ValueCode::full ? 768 : 1024;
}

// A tile as a lane has it.
template <class T, ValueCode code>
struct StagedEntries {
  using V = Coded<T, code>;
  Octet<std::uint16_t> columns;
  Octet<V> values;
  unsigned lane;
  std::uint32_t head;

  NZ_DEVICE void load(Thread& t, const StagedTilesView<T>& a, int tile) {
    columns.load(t, staged_words<std::uint16_t>(a.columns, tile), 32, t.lane());
    if constexpr (code != ValueCode::constant)
      values.load(t, staged_words<V>(a.values, tile), 32, t.lane());
    lane = t.load_streaming(a.lanes + std::int64_t{tile} * 32 + t.lane());
    head = t.load(a.heads + tile);
  }
};

// What the warps of a block leave for each other.
template <class T>
struct StagedEnds {
  SharedArray<T> tails;      // of the row that goes on behind a warp's tiles
  SharedArray<int> ends_in;  // whether any row ends in a warp's tiles

  NZ_DEVICE explicit StagedEnds(Thread& t)
      : tails(t.shared<T>(t.warps())), ends_in(t.shared<int>(t.warps())) {}
  // Adds what the warps before this one have of the row. Whether it goes back to the block's first.
  NZ_DEVICE bool add_before(Thread& t, T& sum) const {
    for (int w = t.warp() - 1; w >= 0; --w) {
      sum += tails[w];
      if (ends_in[w]) return false;
    }
    return true;
  }
};

// What a warp knows on its way through its tiles.
template <class T>
struct StagedWarp {
  index_t first;        // the number of its first row,
  bool begun;           // which another warp has begun
  bool ended = false;   // whether any row ends in its tiles
  bool spread = false;  // the sum of the row that goes on is in all lanes, not in the last
  bool waits = false;   // this lane has the end of the row that another warp has begun,
  T waiting = 0;        // and this of it
  T open = 0;           // the row that goes on

  NZ_DEVICE T open_sum(Thread& t) const { return spread ? sum_all(t, open) : t.shuffle(open, 31); }
};

// What a block does.
struct StagedTask {
  int first, tiles;  // its tiles
  index_t column;    // the first of x that it needs
  int cols;
  StagedShare share;
};

// `Rows` has the tasks of blocks, task(t), what is done while x is on its way, meanwhile(t), and
// put(t, number, sum) for the sums of rows.
template <class T, ValueCode code, class Rows>
struct StagedMultiply {
  static constexpr const char* name = Rows::name;
  static constexpr int max_threads = most_staged_threads<T>(code);
  StagedTilesView<T> a;
  int most_cols;  // of a block
  const T* x;
  Rows rows;
  RowMeeting<T>* meetings;

  static std::size_t shared_bytes(int cols, int threads) {
    return (static_cast<std::size_t>(staged_room<T>(cols)) + table_size(code)) * sizeof(T) +
           static_cast<std::size_t>(threads / 32) * (sizeof(T) + sizeof(int));
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> near = t.shared<T>(staged_room<T>(most_cols));
    const SharedArray<T> table = t.shared<T>(int(table_size(code)));
    const StagedEnds<T> ends(t);
    const StagedTask task = rows.task(t);
    const StagedDeal deal(task.tiles, t.warps());
    const int begin = task.first + deal.first(t.warp());
    const int end = task.first + deal.first(t.warp() + 1);

    StagedEntries<T, code> now;
    if (begin < end) now.load(t, a, begin);
    stage(t, task, near);
    for (int i = t.index(); i < int(table_size(code)); i += t.block_size())
      table[i] = t.load(a.table + i);
    rows.meanwhile(t);
    t.template wait_copies<0>();
    t.sync();

    // The row that a warp finds begun by another is finished when all are done.
    StagedWarp<T> mine{begin < end ? staged_number(now.head) : 0,
                       begin < end && (now.head & staged_goes_on) != 0};
    NZ_ROLLED
    for (int tile = begin; tile < end; ++tile) {
      T product[staged_items];
      NZ_UNROLL
      for (int j = 0; j < staged_items; ++j)
        product[j] = value(now, table, j) * near[now.columns.at(j)];
      const unsigned ends_here = now.lane & 0xffu;
      const index_t row = staged_number(now.head) + static_cast<index_t>(now.lane >> staged_items);
      if (tile + 1 < end) now.load(t, a, tile + 1);  // on its way while this one is added up
      add_tile(t, product, ends_here, row, mine);
    }
    const T tail = mine.open_sum(t);
    if (t.lane() == 0) {
      ends.tails[t.warp()] = tail;
      ends.ends_in[t.warp()] = mine.ended;
    }
    t.sync();
    finish(t, task, ends, mine, tail);
  }

 private:
  NZ_DEVICE void stage(Thread& t, const StagedTask& task, const SharedArray<T>& near) const {
    constexpr int n = 16 / int(sizeof(T));
    const T* const from = x + task.column;
    const int words = reinterpret_cast<std::uintptr_t>(from) % 16 == 0 ? task.cols / n : 0;
    for (int i = t.index(); i < words; i += t.block_size())
      t.template copy_async<n>(near, staged_place<T>(i * n), from + i * n);
    for (int i = words * n + t.index(); i < task.cols; i += t.block_size())
      t.template copy_async<1>(near, staged_place<T>(i), from + i);
    t.commit_copies();
  }

  NZ_DEVICE void add_tile(Thread& t, const T (&product)[staged_items], unsigned ends, index_t row,
                          StagedWarp<T>& mine) const {
    const unsigned with_end = t.ballot(ends != 0);
    if (with_end == 0) {  // each lane keeps what it has of the row
      NZ_UNROLL
      for (int j = 0; j < staged_items; ++j) mine.open += product[j];
      mine.spread = true;
      return;
    }
    const T carry = mine.open_sum(t);
    T head = 0, tail = 0;
    if (t.all((ends & (ends - 1)) == 0)) {
      // At most one row ends in a lane: its part up to there, and the next one's behind it.
      const unsigned in_head = ends == 0 ? 0 : 2 * ends - 1;
      NZ_UNROLL
      for (int j = 0; j < staged_items; ++j) {
        if (in_head >> j & 1)
          head += product[j];
        else
          tail += product[j];
      }
      if (t.lane() == 0) (ends == 0 ? tail : head) += carry;
    } else {
      if (t.lane() == 0) tail = carry;
      index_t r = row;
      NZ_UNROLL
      for (int j = 0; j < staged_items; ++j) {
        tail += product[j];
        if (!(ends >> j & 1)) continue;
        if (r == row)
          head = tail;
        else
          rows.put(t, r, tail);
        ++r;
        tail = 0;
      }
    }
    // Tails added up from the lane on in which their row began, or from the first.
    const unsigned up_to_here = (with_end | 1u) << (31 - t.lane());
    NZ_UNROLL
    for (int by = 1; by < 32; by *= 2) {
      const T before = t.shuffle_up(tail, by);
      if (up_to_here < 1u << (32 - by)) tail += before;
    }
    const T before = t.shuffle_up(tail, 1);
    if (t.lane() > 0) head += before;
    if (ends != 0) {
      if (mine.begun && !mine.ended && (with_end & ((1u << t.lane()) - 1)) == 0) {
        mine.waits = true;
        mine.waiting = head;
      } else {
        rows.put(t, row, head);
      }
    }
    mine.open = t.lane() == 31 ? tail : T(0);
    mine.spread = false;
    mine.ended = true;
  }

  NZ_DEVICE T value(const StagedEntries<T, code>& now, const SharedArray<T>& table, int j) const {
    if constexpr (code == ValueCode::constant)
      return table[0];
    else if constexpr (code == ValueCode::table)
      return table[now.values.at(j)];
    else
      return static_cast<T>(now.values.at(j));
  }

  // Rows that go through several warps.
  NZ_DEVICE void finish(Thread& t, const StagedTask& task, const StagedEnds<T>& ends,
                        const StagedWarp<T>& mine, T tail) const {
    const StagedShare share = task.share;
    if (t.any(mine.waits)) {
      T head = sum_all(t, mine.waits ? mine.waiting : T(0));
      if (ends.add_before(t, head) && share.from < t.block())
        meet_row(t, meetings, t.block(), head, share.from, t.block(),
                 [&](T all) { rows.put(t, mine.first, all); });
      else if (t.lane() == 0)
        rows.put(t, mine.first, head);
    }
    if (share.to > t.block() && t.warp() == t.warps() - 1) {
      const bool all = !mine.ended && ends.add_before(t, tail);
      // Its number is that with which the next block's tiles begin.
      const index_t row = staged_number(t.load(a.heads + task.first + task.tiles));
      meet_row(t, meetings, t.block(), tail, all ? share.from : t.block(), share.to,
               [&](T sum) { rows.put(t, row, sum); });
    }
  }
};

// A launch with `threads` threads of blocks that have `cols` columns of x at most; `rows` as above.
template <class T, class Rows>
void launch_staged(CUstream_st* stream, const StagedTiles<T>& a, int blocks, int threads, int cols,
                   const T* x, const Rows& rows, RowMeeting<T>* meetings) {
  for_code<T>(a.code, [&]<ValueCode code>() {
    const auto run = [&]<class K>(K k) {
      launch({.blocks = blocks,
              .threads = threads,
              .shared_bytes = K::shared_bytes(cols, threads),
              .stream = stream},
             k);
    };
    run(StagedMultiply<T, code, Rows>{a.view(), cols, x, rows, meetings});
  });
}

// Threads of a block that has so many tiles: at most `wanted`, and what the kernel allows.
template <class T>
int staged_threads(const StagedTiles<T>& a, int wanted, int tiles) {
  const int most = most_staged_threads<T>(a.code);
  return 32 * std::clamp(std::min(wanted, most) / 32, 1, std::max(1, tiles));
}

}  // namespace nz::NZ_HOME
