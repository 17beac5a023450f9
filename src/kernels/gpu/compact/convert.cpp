#include <algorithm>
#include <limits>
#include <utility>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "device/fetch.hpp"
#include "kernels/gpu/parts/balanced_tiles.hpp"
#include "kernels/gpu/compact/units.hpp"

// The device cuts tiles and pieces, finds the span of each unit's columns, numbers the units and
// writes what they have; the host waits for two sets of totals, to make room.
namespace nz::NZ_HOME {
namespace {

// What units come from: pieces, then tiles. Of a piece, a tile of one row is made.
struct UnitSources {
  const Piece* pieces;
  const Tile* tiles;
  int n;  // pieces
  NZ_DEVICE Tile of(std::int64_t u) const {
    if (u >= n) return tiles[u - n];
    const Piece p = pieces[u];
    return {p.entry, p.row, 1, p.entries, 0, 0, 0};
  }
};

// Of all units.
struct UnitTotals {
  std::int64_t octets, words, starts, wide;
  // A unit that is counted, not numbered yet.
  NZ_DEVICE void add(const CompactUnit& u) {
    octets += u.octet;
    words += u.word;
    starts += u.start;
    wide += u.wide;
  }
};

// A warp a unit: all of it, but so many octets, words and starts as it has instead of where they
// begin. Columns increase along a row, so its ends are enough.
template <class O>
struct CountUnits {
  static constexpr const char* name = "count compact units";
  const O* offsets;
  const index_t* columns;
  UnitSources sources;
  int count;
  std::int64_t most;
  CompactUnit* units;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t u = t.global_index() / 32;
    if (u >= count) return;
    const Tile s = sources.of(u);
    const bool is_piece = u < sources.n;
    index_t low = 0x7fffffff, high = 0;
    const auto take = [&](std::int64_t begin, std::int64_t end) {
      if (begin == end) return;
      const index_t first = t.load(columns + begin), last = t.load(columns + end - 1);
      low = first < low ? first : low;
      high = last > high ? last : high;
    };
    if (is_piece) {
      take(s.entry, s.entry + s.entries);
    } else {
      for (int r = t.lane(); r < s.rows; r += 32) {
        const std::int64_t begin = t.load(offsets + s.first + r),
                           end = t.load(offsets + s.first + r + 1);
        if (end - begin <= most) take(begin, end);
      }
    }
    low = min_all(t, low);
    high = max_all(t, high);
    if (t.lane() != 0) return;
    if (low > high) low = high;
    const auto octets = static_cast<std::uint32_t>(octets_of(s.entries));
    const int wide = high - low > 0xffff;
    const auto starts = static_cast<std::uint32_t>(is_piece ? 0 : s.rows + 1);
    units[u] = {octets, octets << wide, starts, low, s.first, s.rows, s.entries, wide};
  }
};

// One block: where each unit's octets, words and starts begin, and how many there are. Where these
// are too many for the numbers nobody uses them.
struct NumberUnits {
  static constexpr const char* name = "number compact units";
  int count;
  CompactUnit* units;
  UnitTotals* totals;

  static std::size_t shared_bytes(int threads) {
    return sizeof(UnitTotals) * static_cast<std::size_t>(threads / 32);
  }
  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<UnitTotals> of_warps = t.shared<UnitTotals>(t.warps());
    const int each = (count + t.block_size() - 1) / t.block_size();
    const int begin = each * t.index() < count ? each * t.index() : count;
    const int end = begin + each < count ? begin + each : count;
    UnitTotals mine{};
    NZ_UNROLL_BY(4)
    for (int i = begin; i < end; ++i) mine.add(units[i]);
    const UnitTotals with{inclusive_sum(t, mine.octets), inclusive_sum(t, mine.words),
                          inclusive_sum(t, mine.starts), inclusive_sum(t, mine.wide)};
    if (t.lane() == 31) of_warps[t.warp()] = with;
    t.sync();
    UnitTotals all{}, before = less(with, mine);
    for (int w = 0; w < t.warps(); ++w) {
      const UnitTotals its = of_warps[w];
      all = sum(all, its);
      if (w < t.warp()) before = sum(before, its);
    }
    if (t.index() == 0) *totals = all;
    NZ_ROLLED
    for (int i = begin; i < end; ++i) {
      const CompactUnit was = units[i];
      CompactUnit u = was;
      u.octet = static_cast<std::uint32_t>(before.octets);
      u.word = static_cast<std::uint32_t>(before.words);
      u.start = static_cast<std::uint32_t>(before.starts);
      units[i] = u;
      before.add(was);
    }
  }

 private:
  NZ_DEVICE static UnitTotals sum(const UnitTotals& a, const UnitTotals& b) {
    return {a.octets + b.octets, a.words + b.words, a.starts + b.starts, a.wide + b.wide};
  }
  NZ_DEVICE static UnitTotals less(const UnitTotals& a, const UnitTotals& b) {
    return {a.octets - b.octets, a.words - b.words, a.starts - b.starts, a.wide - b.wide};
  }
};

// A block a unit.
template <class T, class O>
struct WriteUnits {
  static constexpr const char* name = "write compact units";
  CsrView<T, O> a;
  const CompactUnit* units;
  UnitSources sources;
  const LongRowGap* gaps;
  ValueCode code;
  ValueLookup<T> lookup;
  ColumnWord* columns;
  std::byte* values;
  std::uint16_t* starts;

  NZ_DEVICE void operator()(Thread& t) const {
    const CompactUnit u = units[t.block()];
    const Tile s = sources.of(t.block());
    if (u.wide)
      write_columns<index_t>(t, u, s);
    else
      write_columns<std::uint16_t>(t, u, s);
    if constexpr (!ComplexValue<T>) {
      if (code == ValueCode::table) write_values<ValueCode::table>(t, u, s);
      if (code == ValueCode::single) write_values<ValueCode::single>(t, u, s);
    }
    if (code == ValueCode::full) write_values<ValueCode::full>(t, u, s);
    if constexpr (sizeof(T) == 4) {
      if (code == ValueCode::half) write_values<ValueCode::half>(t, u, s);
      if (code == ValueCode::bfloat) write_values<ValueCode::bfloat>(t, u, s);
    }
    if (t.block() < sources.n) return;
    for (int r = t.index(); r <= s.rows; r += t.block_size())
      starts[std::int64_t{u.start} + r] = static_cast<std::uint16_t>(
          gaps_of(s).start(t.load(a.offsets + s.first + r) - s.entry, r, start_elsewhere));
  }

 private:
  // Calls use(g, j, entry) for all entries of octet g, -1 for none, then done(g).
  template <class Use, class Done>
  NZ_DEVICE void for_octets(Thread& t, const Tile& s, Use&& use, Done&& done) const {
    const int n = octets_of(s.entries);
    for (int g = t.index(); g < n; g += t.block_size()) {
      NZ_UNROLL
      for (int j = 0; j < 8; ++j) {
        const int i = j * n + g;
        use(j, i < s.entries ? s.entry + gaps_of(s).place(i) : -1);
      }
      done(n, g);
    }
  }
  template <class V>
  NZ_DEVICE void write_columns(Thread& t, const CompactUnit& u, const Tile& s) const {
    Octet<V> eight;
    for_octets(
        t, s,
        [&](int j, std::int64_t k) {
          eight.set(j, k < 0 ? V(0) : static_cast<V>(t.load_streaming(a.columns + k) - u.base));
        },
        [&](int n, int g) {
          eight.store(reinterpret_cast<typename Octet<V>::Word*>(columns + u.word), n, g);
        });
  }
  template <ValueCode c>
  NZ_DEVICE void write_values(Thread& t, const CompactUnit& u, const Tile& s) const {
    using V = Coded<T, c>;
    using Word = typename Octet<V>::Word;
    Word* to = reinterpret_cast<Word*>(values) + std::int64_t{u.octet} * Octet<V>::words;
    Octet<V> eight;
    for_octets(
        t, s,
        [&](int j, std::int64_t k) {
          eight.set(j, k < 0 ? V(0) : encode<c>(t, lookup, t.load_streaming(a.values + k)));
        },
        [&](int n, int g) { eight.store(to, n, g); });
  }

  NZ_DEVICE TileGaps gaps_of(const Tile& s) const { return {gaps, s.gap, s.gaps}; }
};

}  // namespace

template <Value T, Offset O>
CompactUnits<T> compact_on_device(const CsrView<T, O>& a, ValueCodes<T> codes, int size, int most,
                                  int piece) {
  const Device device = current_device();
  CompactUnits<T> b;
  b.cols = a.cols;
  b.codes = std::move(codes);
  b.constant = b.codes.constant;
  const BalancedTiles tiles(a, size, most, piece, b.long_rows);
  b.tiles = tiles.tiles();
  const UnitSources sources{b.long_rows.list(), tiles.tile_list(), b.long_rows.pieces()};
  const int count = sources.n + b.tiles;
  b.units = {device, static_cast<std::size_t>(count)};
  UnitTotals all{};
  if (count > 0) {
    DeviceArray<UnitTotals> there(device, 1);
    launch({.blocks = blocks_for(count, 4), .threads = 128},
           CountUnits<O>{a.offsets, a.columns, sources, count, most, b.units.data()});
    const int threads = threads_for(count, 1024);
    launch({.blocks = 1, .threads = threads, .shared_bytes = NumberUnits::shared_bytes(threads)},
           NumberUnits{count, b.units.data(), there.data()});
    all = fetch(there.data());
  }
  if (std::max(all.words, all.starts) > std::numeric_limits<std::uint32_t>::max())
    throw Refused("compact on a GPU: more entries than its units can number");
  b.octets = all.octets;
  b.wide = static_cast<int>(all.wide);
  b.columns = {device, static_cast<std::size_t>(all.words)};
  b.values = {device, static_cast<std::size_t>(b.octets) * 8 * code_bytes<T>(b.codes.code)};
  b.starts = {device, static_cast<std::size_t>(all.starts)};
  launch({.blocks = count, .threads = 128},
         WriteUnits<T, O>{a, b.units.data(), sources, tiles.gap_list(), b.codes.code,
                          b.codes.lookup(), b.columns.data(), b.values.data(), b.starts.data()});
  b.codes.drop_lookup();
  return b;
}

#define NZ_INSTANTIATE(T, O) \
  template CompactUnits<T> compact_on_device(const CsrView<T, O>&, ValueCodes<T>, int, int, int);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_KERNEL_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
