#pragma once
#include <cstdint>

#include <nonzero/formats/tiles.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/tile/tasks.hpp"
#include "simt/warp.hpp"

// One warp adds the products of some tiles with short places to sums in shared memory
// (formats/tiles.hpp), 32 entries of a group at a time. Values, places and the tile's part of x
// come by asynchronous copies into shared memory, a chunk of groups at a time, one ahead and
// across tiles: a chunk that is waited for costs a microsecond, its arithmetic a fifth of that.
// What must be known of 32 tiles is read at once, a tile a lane. Full mixed groups, nearly all,
// take a path without questions.
namespace nz::NZ_HOME {

template <class T, bool transposed>
struct TileStream {
  using Place = std::uint16_t;
  static constexpr int most_side = 256;
  static constexpr int chunk = sizeof(T) == 4 ? 16 : 8;  // groups
  static constexpr int slots = 2;                        // chunks in shared memory
  static constexpr int entries = 32 * chunk + 8;  // of a slot: copies begin at a multiple of 8
  static constexpr int notes = chunk + 2;         // of a slot: its head, strip, groups

  // The block's shared memory, a part of each array for every warp.
  struct Room {
    SharedArray<T> sums, x, values;
    SharedArray<Place> places;
    SharedArray<int> notes;
    NZ_DEVICE Room(Thread& t, int side)
        : sums(t.shared<T>(t.warps() * side)),
          x(t.shared<T>(t.warps() * slots * most_side)),
          values(t.shared<T>(t.warps() * slots * entries)),
          places(t.shared<Place>(t.warps() * slots * entries)),
          notes(t.shared<int>(t.warps() * slots * TileStream::notes)) {}
    static constexpr std::size_t bytes(int warps, int side) {
      return static_cast<std::size_t>(warps) *
             (static_cast<std::size_t>(side + slots * (most_side + entries)) * sizeof(T) +
              slots * (entries * sizeof(Place) + TileStream::notes * sizeof(int)));
    }
  };

  const TilesView<T>& a;
  const T* x;
  Thread& t;
  const Room& room;
  bool x_in_pieces;  // x lies at a multiple of 16 bytes

  // The tiles of a task; flush(strip) takes the sums of one when the next begins.
  template <class Flush>
  NZ_DEVICE void add(const TileTask& task, Flush&& flush) {
    next_tile = task.first;
    end_tile = task.first + task.tiles;
    strip = task.strip;
    for (int s = 0; s + 1 < slots; ++s) {
      feed();
      t.commit_copies();
    }
    int taken = 0;
    NZ_ROLLED
    while (taken < fed) {
      feed();
      t.commit_copies();
      t.template wait_copies<slots - 1>();
      t.sync_warp();
      for (const index_t its = room.notes[note_at(taken % slots) + 1]; strip < its; ++strip)
        flush(strip);
      take(taken % slots);
      ++taken;
      t.sync_warp();  // before its slot is filled again
    }
    t.template wait_copies<0>();
  }

  // What is fed: heads of 32 tiles, one a lane; the tile at hand; 32 of its groups, one a lane.
  index_t strip = 0;  // whose sums are there
  index_t next_tile = 0, end_tile = 0;
  std::int64_t head_entry = 0, head_group = 0;
  int head_groups = 0;
  index_t head_line = 0, head_strip = 0, fed_strip = 0;
  int heads = 0, at_head = 0;
  std::int64_t entry = 0, group_at = 0;
  int groups = 0, done = 0;  // of the tile; `done` are fed
  int fed = 0, tiles_fed = 0;
  int group = -1, next_group = -1;  // -1: there is none
  static constexpr int full = tile_group(TileGroup::mixed, 32);

  NZ_DEVICE void read_heads() {
    heads = end_tile - next_tile < 32 ? end_tile - next_tile : 32;
    at_head = 0;
    if (t.lane() < heads) {
      const index_t at = next_tile + t.lane();
      const index_t tile = transposed ? t.load(a.by_column + at) : at;
      head_entry = t.load(a.first + tile);
      head_group = t.load(a.first_group + tile);
      head_groups = int(t.load(a.first_group + tile + 1) - head_group);
      head_line = t.load((transposed ? a.tile_row : a.tile_column) + tile);
      head_strip = t.load((transposed ? a.tile_column : a.tile_row) + tile);
    }
    next_tile += heads;
    look_ahead();
  }
  // The first groups of the tile whose head is next.
  NZ_DEVICE void look_ahead() {
    const std::int64_t at = t.shuffle(head_group, at_head);
    const int n = t.shuffle(head_groups, at_head);
    next_group = t.lane() < n ? int(t.load(a.group + at + t.lane())) : -1;
  }

  // Copies of the next chunk begin, if there is one.
  NZ_DEVICE void feed() {
    const int slot = fed % slots;
    if (done == groups) {
      if (at_head == heads) {
        if (next_tile == end_tile) return;
        read_heads();
      }
      entry = t.shuffle(head_entry, at_head);
      group_at = t.shuffle(head_group, at_head);
      groups = t.shuffle(head_groups, at_head);
      const index_t line = t.shuffle(head_line, at_head);
      fed_strip = t.shuffle(head_strip, at_head);
      group = next_group;
      done = 0;
      if (++at_head < heads) look_ahead();
      copy_x(line, tiles_fed % slots);
      ++tiles_fed;
    } else if (done % 32 == 0) {
      group = done + t.lane() < groups ? int(t.load(a.group + group_at + done + t.lane())) : -1;
    }
    // Lanes k, k + 1, ... have the chunk's groups; those before `lead` are full. The others have
    // notes: where they begin, their sizes and kinds.
    const int k = done % 32, left = groups - done, n = left < chunk ? left : chunk;
    const unsigned others = ~(t.ballot(group == full) >> k) | 1u << chunk;
    const int lead = lowest(others);
    int size = 32 * lead, mixed = lead;
    if (lead < n) {
      const bool mine = t.lane() >= k + lead && t.lane() < k + n;
      const int its = mine ? tile_group_size(std::uint8_t(group)) : 0;
      const int end = inclusive_sum(t, its);
      const auto kind = tile_group_kind(std::uint8_t(group));
      mixed += bit_count(t.ballot(mine && kind == TileGroup::mixed));
      if (mine)
        room.notes[note_at(slot) + 2 + t.lane() - k] =
            (size + end - its) | its << 16 | int(kind) << 24;
      size += t.shuffle(end, 31);
    }
    const auto shift = int(entry & 7);
    if (t.lane() == 0) {
      room.notes[note_at(slot)] =
          shift | n << 4 | lead << 9 | mixed << 14 | ((tiles_fed - 1) % slots) << 19;
      room.notes[note_at(slot) + 1] = fed_strip;
    }
    copy_entries(entry - shift, shift + size, slot);
    entry += size;
    done += n;
    ++fed;
  }

  NZ_DEVICE int note_at(int slot) const { return (t.warp() * slots + slot) * notes; }
  NZ_DEVICE int entries_at(int slot) const { return (t.warp() * slots + slot) * entries; }
  NZ_DEVICE int x_at(int slot) const { return (t.warp() * slots + slot) * most_side; }

  // Whole pieces of 16 bytes; there is room behind the last entries.
  NZ_DEVICE void copy_entries(std::int64_t from, int n, int slot) const {
    copy_some(room.values, entries_at(slot), a.values + from, n);
    copy_some(room.places, entries_at(slot), a.short_places + from, n);
  }
  template <class V>
  NZ_DEVICE void copy_some(const SharedArray<V>& to, int at, const V* from, int n) const {
    constexpr int piece = 16 / int(sizeof(V)), step = 32 * piece;
    const int first = t.lane() * piece;
    from += first;
    at += first;
    NZ_UNROLL
    for (int i = 0; i < entries; i += step)
      if (i + first < n) t.template copy_async<piece>(to, at + i, from + i);
  }
  NZ_DEVICE void copy_x(index_t line, int slot) const {
    constexpr int piece = 16 / int(sizeof(T));
    const std::int64_t base = std::int64_t{line} << a.side_bits;
    const std::int64_t inputs = transposed ? a.rows : a.cols;
    const int n = int(inputs - base < a.side() ? inputs - base : a.side()), to = x_at(slot);
    const T* from = x + base;
    if (x_in_pieces && n == most_side) {
      NZ_UNROLL
      for (int i = 0; i < most_side; i += 32 * piece)
        t.template copy_async<piece>(room.x, to + i + t.lane() * piece,
                                     from + i + t.lane() * piece);
    } else {
      for (int i = t.lane(); i < n; i += 32) t.template copy_async<1>(room.x, to + i, from + i);
    }
  }

  NZ_DEVICE static int output(unsigned p) { return int(transposed ? p & 0xff : p >> 8); }
  NZ_DEVICE static int input(unsigned p) { return int(transposed ? p >> 8 : p & 0xff); }

  NZ_DEVICE void take(int slot) const {
    const int note = room.notes[note_at(slot)];
    const int xs = x_at(note >> 19), sums = t.warp() * int(a.side());
    const int n = note >> 4 & 31, lead = note >> 9 & 31, mixed = note >> 14 & 31;
    const int at = entries_at(slot) + (note & 7) + t.lane(), notes_at = note_at(slot) + 2;
    int taken = 0;
    NZ_ROLLED
    for (; taken + 8 <= lead; taken += 8) add_full<8>(at + 32 * taken, xs, sums);
    if (taken + 4 <= lead) {
      add_full<4>(at + 32 * taken, xs, sums);
      taken += 4;
    }
    NZ_ROLLED
    for (; taken < lead; ++taken) add_full<1>(at + 32 * taken, xs, sums);
    NZ_ROLLED
    for (; taken < mixed; taken += 4) add_mixed<4>(at, xs, sums, notes_at + taken, mixed - taken);
    NZ_ROLLED
    for (taken = mixed; taken < n; ++taken) add_run(at, xs, sums, room.notes[notes_at + taken]);
  }
  template <int n>
  NZ_DEVICE void add_full(int at, int xs, int sums) const {
    T value[n];
    int to[n];
    NZ_UNROLL
    for (int u = 0; u < n; ++u) {
      const unsigned place = Place(room.places[at + 32 * u]);
      value[u] = T(room.values[at + 32 * u]) * T(room.x[xs + input(place)]);
      to[u] = sums + output(place);
    }
    NZ_UNROLL
    for (int u = 0; u < n; ++u) {
      room.sums[to[u]] += value[u];
      t.sync_warp();
    }
  }
  // n of `left` mixed groups that are not full, as the notes say.
  template <int n>
  NZ_DEVICE void add_mixed(int at, int xs, int sums, int notes_at, int left) const {
    T value[n];
    int to[n];
    NZ_UNROLL
    for (int u = 0; u < n; ++u) {
      const int note = u < left ? int(room.notes[notes_at + u]) : 0;
      to[u] = -1;
      if (t.lane() < (note >> 16 & 0xff)) {
        const int k = at + (note & 0xffff);
        const unsigned place = Place(room.places[k]);
        value[u] = T(room.values[k]) * T(room.x[xs + input(place)]);
        to[u] = sums + output(place);
      }
    }
    NZ_UNROLL
    for (int u = 0; u < n; ++u) {
      if (to[u] >= 0) room.sums[to[u]] += value[u];
      t.sync_warp();
    }
  }
  NZ_DEVICE void add_run(int at, int xs, int sums, int note) const {
    constexpr auto meeting = transposed ? TileGroup::column_run : TileGroup::row_run;
    const bool mine = t.lane() < (note >> 16 & 0xff);
    T value = 0;
    unsigned place = 0;
    if (mine) {
      const int k = at + (note & 0xffff);
      place = Place(room.places[k]);
      value = T(room.values[k]) * T(room.x[xs + input(place)]);
    }
    const bool meet = TileGroup(note >> 24) == meeting;
    if (meet) value = reduce_to_first_lane(t, value);
    if (meet ? t.lane() == 0 : mine) room.sums[sums + output(place)] += value;
    t.sync_warp();
  }
};

}  // namespace nz::NZ_HOME
