#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "device/fetch.hpp"
#include "kernels/gpu/parts/balanced_tiles.hpp"
#include "kernels/gpu/compact/units.hpp"

// The device cuts tiles and pieces and finds the span of each unit's columns, the host numbers the
// units, and the device writes what they have.
namespace nz::NZ_HOME {
namespace {

// A unit comes from a tile; of a piece, one is made.
struct Span {
  index_t low, high;
};

// A warp a unit. Columns increase along a row, so its ends are enough.
template <class O>
struct FindColumnSpans {
  static constexpr const char* name = "find spans of columns";
  const O* offsets;
  const index_t* columns;
  const Tile* sources;
  int pieces, units;
  std::int64_t most;
  Span* spans;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t u = t.global_index() / 32;
    if (u >= units) return;
    const Tile s = sources[u];
    index_t low = 0x7fffffff, high = 0;
    const auto take = [&](std::int64_t begin, std::int64_t end) {
      if (begin == end) return;
      const index_t first = t.load(columns + begin), last = t.load(columns + end - 1);
      low = first < low ? first : low;
      high = last > high ? last : high;
    };
    if (u < pieces) {
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
    if (t.lane() == 0) spans[u] = {low < high ? low : high, high};
  }
};

// A block a unit.
template <class T, class O>
struct WriteUnits {
  static constexpr const char* name = "write compact units";
  CsrView<T, O> a;
  const CompactUnit* units;
  const Tile* sources;
  const LongRowGap* gaps;
  int pieces;
  ValueCode code;
  ValueLookup<T> lookup;
  ColumnWord* columns;
  std::byte* values;
  std::uint16_t* starts;

  NZ_DEVICE void operator()(Thread& t) const {
    const CompactUnit u = units[t.block()];
    const Tile s = sources[t.block()];
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
    if (t.block() < pieces) return;
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

// Pieces, then tiles.
std::vector<Tile> sources_of(const std::vector<Piece>& pieces, const std::vector<Tile>& tiles) {
  std::vector<Tile> all;
  all.reserve(pieces.size() + tiles.size());
  for (const Piece& p : pieces) all.push_back({p.entry, p.row, 1, p.entries, 0, 0, 0});
  all.insert(all.end(), tiles.begin(), tiles.end());
  return all;
}

// Numbers the units; what they need of each array goes to `b` and, for starts, to the result.
template <class T>
std::vector<CompactUnit> units_of(const std::vector<Tile>& sources, const std::vector<Span>& spans,
                                  std::size_t pieces, CompactUnits<T>& b, std::int64_t& words,
                                  std::int64_t& starts) {
  std::vector<CompactUnit> units(sources.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Tile& s = sources[i];
    const int octets = octets_of(s.entries);
    const int wide = spans[i].high - spans[i].low > std::numeric_limits<std::uint16_t>::max();
    units[i] = {static_cast<std::uint32_t>(b.octets),
                static_cast<std::uint32_t>(words),
                static_cast<std::uint32_t>(starts),
                spans[i].low,
                s.first,
                s.rows,
                s.entries,
                wide};
    b.octets += octets;
    b.wide += wide;
    words += std::int64_t{octets} << wide;
    if (i >= pieces) starts += s.rows + 1;
  }
  if (std::max(words, starts) > std::numeric_limits<std::uint32_t>::max())
    throw Refused("compact on a GPU: more entries than its units can number");
  return units;
}

}  // namespace

template <Value T, Offset O>
CompactUnits<T> compact_on_device(const CsrView<T, O>& a, ValueCodes<T> codes, int size, int most,
                                  int piece) {
  const Device device = current_device();
  CompactUnits<T> b;
  b.cols = a.cols;
  b.codes = std::move(codes);
  if (b.codes.code == ValueCode::constant) b.codes.table.download(std::span(&b.constant, 1));
  const BalancedTiles tiles(a, size, most, piece, b.long_rows);
  b.tiles = tiles.tiles();
  const int pieces = b.long_rows.pieces(), count = pieces + b.tiles;
  const std::vector<Tile> sources = sources_of(fetch(b.long_rows.list(), std::size_t(pieces)),
                                               fetch(tiles.tile_list(), std::size_t(b.tiles)));
  const DeviceArray<Tile> from(device, std::span<const Tile>(sources));
  DeviceArray<Span> spans(device, sources.size());
  launch({.blocks = blocks_for(count, 4), .threads = 128},
         FindColumnSpans<O>{a.offsets, a.columns, from.data(), pieces, count, most, spans.data()});
  std::int64_t words = 0, starts = 0;
  const std::vector<CompactUnit> units =
      units_of(sources, fetch(spans.data(), spans.size()), static_cast<std::size_t>(pieces), b,
               words, starts);
  b.units = {device, std::span<const CompactUnit>(units)};
  b.columns = {device, static_cast<std::size_t>(words)};
  b.values = {device, static_cast<std::size_t>(b.octets) * 8 * code_bytes<T>(b.codes.code)};
  b.starts = {device, static_cast<std::size_t>(starts)};
  launch({.blocks = count, .threads = 128},
         WriteUnits<T, O>{a, b.units.data(), from.data(), tiles.gap_list(), pieces, b.codes.code,
                          b.codes.lookup(), b.columns.data(), b.values.data(), b.starts.data()});
  b.codes.drop_lookup();
  return b;
}

#define NZ_INSTANTIATE(T, O) \
  template CompactUnits<T> compact_on_device(const CsrView<T, O>&, ValueCodes<T>, int, int, int);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_KERNEL_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
