#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "base/instantiate.hpp"
#include "kernels/gpu/parts/search.hpp"
#include "kernels/gpu/parts/long_rows.hpp"
#include "kernels/gpu/slabs/units.hpp"
#include "device/each.hpp"
#include "device/sort_scan.hpp"

// From CSR to units: entries are numbered without those of long rows, then come those of parts;
// units are cut by that numbering; each is then put in order by a warp of its own, which goes over
// its entries twice, to count and to write. Columns of a row may come in any order.
namespace nz::NZ_HOME {
namespace {

// Where the entries of a part lie.
struct SlabPart {
  std::int64_t entry;
  int entries, stride;
};

template <class O>
struct CountEntries {
  static constexpr const char* name = "count entries of rows and parts";
  const O* offsets;
  index_t rows, parts;
  std::int64_t piece;
  const SlabPart* part;
  std::int64_t* counts;
  NZ_DEVICE void operator()(Thread& t, std::int64_t r) const {
    std::int64_t n = 0;
    if (r < rows) {
      n = t.load(offsets + r + 1) - t.load(offsets + r);
      if (n > piece) n = 0;
    } else if (r - rows < parts) {
      n = part[r - rows].entries;
    }
    counts[r] = n;
  }
};

// A row is as much work as `weight` entries.
struct CutUnits {
  static constexpr const char* name = "cut units of rows";
  const std::int64_t* starts;
  index_t rows;  // with parts
  std::int64_t size, weight;
  int units;
  index_t* first;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t unit = t.global_index();
    if (unit > units) return;
    first[unit] = partition_point(unit == units ? rows : 0, rows, [&](index_t r) {
      return t.load(starts + r) + weight * r < unit * size;
    });
  }
};

template <class T, class O>
struct SplitUnits {
  static constexpr const char* name = "order units by slabs";
  static constexpr int max_threads = 256;
  CsrView<T, O> a;
  const std::int64_t* row_starts;
  const SlabPart* part;
  int slabs, bits, slab_bits, units;
  const index_t* first;
  std::int64_t* starts;
  std::uint32_t* places;
  T* values;

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<int> cursor = t.shared<int>(t.warps() * slabs);
    const int unit = t.block() * t.warps() + t.warp(), mine = t.warp() * slabs;
    if (unit >= units) return;
    const index_t low = t.load(first + unit), high = t.load(first + unit + 1);
    const std::int64_t begin = t.load(row_starts + low), end = t.load(row_starts + high);
    for (int s = t.lane(); s < slabs; s += 32) cursor[mine + s] = 0;
    t.sync_warp();
    walk(t, low, high, begin, end, [&](bool in, index_t, std::int64_t at) {
      if (in) t.atomic_add(cursor, mine + slab_of(t.load(a.columns + at)), 1);
    });
    t.sync_warp();
    int before = 0;
    for (int base = 0; base < slabs; base += 32) {
      const int s = base + t.lane(), n = s < slabs ? int(cursor[mine + s]) : 0;
      const int with = before + inclusive_sum(t, n);
      if (s < slabs) {
        cursor[mine + s] = with - n;
        starts[std::int64_t{unit} * slabs + s] = begin + with - n;
      }
      before = t.shuffle(with, 31);
    }
    if (unit == units - 1 && t.lane() == 0) starts[std::int64_t{units} * slabs] = end;
    t.sync_warp();
    walk(t, low, high, begin, end, [&](bool in, index_t row, std::int64_t at) {
      const index_t column = in ? t.load_streaming(a.columns + at) : 0;
      const T value = in ? t.load_streaming(a.values + at) : T(0);
      const int slab = slab_of(column);
      const unsigned same = peers(t, in, slab);
      const int rank = bit_count(same & ((1u << t.lane()) - 1));
      const int from = in ? int(cursor[mine + slab]) : 0;
      t.sync_warp();
      if (!in) return;
      if (rank == 0) cursor[mine + slab] = from + bit_count(same);
      const std::int64_t to = begin + from + rank;
      places[to] = static_cast<std::uint32_t>(row - low) << bits |
                   (static_cast<std::uint32_t>(column) & ((1u << bits) - 1));
      values[to] = value;
    });
  }

 private:
  NZ_DEVICE int slab_of(index_t column) const { return column >> bits; }

  // use(in, row, place in CSR) for the entries of a unit in their order, 32 at a time, by all
  // lanes; `in` where the lane has one.
  template <class Use>
  NZ_DEVICE void walk(Thread& t, index_t low, index_t high, std::int64_t begin, std::int64_t end,
                      Use&& use) const {
    index_t from = low;
    NZ_ROLLED
    for (std::int64_t k = begin; k < end; k += 32) {
      const bool in = k + t.lane() < end;
      const std::int64_t mine = in ? k + t.lane() : end - 1;
      // 32 entries are mostly in the next 32 rows.
      index_t to = high - 1;
      if (to - from > 32 && t.load(row_starts + from + 33) > (k + 31 < end ? k + 31 : end - 1))
        to = from + 32;
      const index_t row = row_of(t, row_starts, mine, from, to);
      const std::int64_t nth = mine - t.load(row_starts + row);
      std::int64_t at;
      if (row < a.rows) {
        at = t.load(a.offsets + row) + nth;
      } else {
        const SlabPart& its = part[row - a.rows];
        at = its.entry + nth * its.stride;
      }
      use(in, row, at);
      t.sync_warp();
      from = t.shuffle(row, 31);
    }
  }

  // The lanes that have an entry of the same slab.
  NZ_DEVICE unsigned peers(Thread& t, bool in, int slab) const {
    unsigned same = t.ballot(in);
    NZ_ROLLED
    for (int b = 0; b < slab_bits; ++b) {
      const bool one = (slab >> b & 1) != 0;
      const unsigned ones = t.ballot(one);
      same &= one ? ones : ~ones;
    }
    return same;
  }
};

// Deals the long rows out; returns where their parts lie.
template <class T>
std::vector<SlabPart> deal(Device device, const std::vector<LongRow>& rows, std::int64_t piece,
                           SlabUnits<T>& b) {
  std::vector<SlabPart> all;
  std::vector<index_t> row_of;
  std::vector<SlabLong> longs;
  for (const LongRow& r : rows) {
    const std::int64_t n = (r.entries + piece - 1) / piece;
    if (static_cast<std::int64_t>(all.size()) + n + b.view.rows >=
        std::numeric_limits<index_t>::max())
      throw Refused("gpu/slabs/balanced: too many rows and parts of long rows");
    longs.push_back({r.row, static_cast<int>(all.size()), static_cast<int>(n)});
    for (std::int64_t p = 0; p < n; ++p) {
      all.push_back(
          {r.entry + p, static_cast<int>((r.entries - p + n - 1) / n), static_cast<int>(n)});
      row_of.push_back(r.row);
    }
  }
  b.longs = {device, std::span<const SlabLong>(longs)};
  b.row_of = {device, std::span<const index_t>(row_of)};
  b.parts = static_cast<index_t>(all.size());
  return all;
}

// Cuts rows and parts into units none of which has more than `room` rows.
template <class T>
void cut(Device device, const std::int64_t* row_starts, index_t rows, std::int64_t units,
         const SlabRule& rule, int room, SlabUnits<T>& b) {
  const std::int64_t weight = std::max<std::int64_t>(1, b.nnz / rows / 2);
  const std::int64_t steps = b.nnz + weight * rows;
  for (;; units += units < rule.at_once ? units / 4 + 1 : rule.at_once) {
    std::vector<index_t> first(static_cast<std::size_t>(units) + 1);
    b.first = {device, first.size()};
    launch(one_thread_each(units + 1), CutUnits{row_starts, rows, (steps + units - 1) / units,
                                                weight, static_cast<int>(units), b.first.data()});
    b.first.download(first);
    b.view.units = static_cast<int>(units);
    b.view.most_rows = 1;
    for (std::size_t u = 0; u + 1 < first.size(); ++u)
      b.view.most_rows = std::max(b.view.most_rows, first[u + 1] - first[u]);
    if (b.view.most_rows <= room) return;
  }
}

}  // namespace

template <Value T, Offset O>
SlabUnits<T> slabs_on_device(const CsrView<T, O>& a, const SlabRule& rule) {
  const Device device = current_device();
  SlabUnits<T> b;
  SlabView<T>& v = b.view;
  v.rows = a.rows;
  v.cols = a.cols;
  b.nnz = a.nnz;
  if (a.rows == 0) return b;
  const std::int64_t last = std::max<std::int64_t>(a.cols, 1) - 1;
  v.bits = rule.bits;
  while ((last >> v.bits) >= most_slabs) ++v.bits;
  v.slabs = static_cast<int>(last >> v.bits) + 1;
  const int room = std::max(1, std::min(rule.room, 1 << std::min(30, 32 - v.bits)));

  // Whole rounds of units over the device, fewer where they would be of little work.
  const std::int64_t needed = (std::int64_t{a.rows} + room - 1) / room;
  std::int64_t units = (needed + rule.at_once - 1) / rule.at_once * rule.at_once;
  constexpr std::int64_t least = 1024;
  units = std::max(needed, std::min(units, (b.nnz + a.rows) / least + 1));
  const std::int64_t piece =
      rule.piece > 0 ? rule.piece : std::clamp<std::int64_t>(b.nnz / units / 4, 256, 1 << 14);

  const std::vector<SlabPart> parts = deal(device, LongRows<T>(a, piece, 1 << 20).rows(), piece, b);
  const DeviceArray<SlabPart> part(device, std::span<const SlabPart>(parts));
  const auto rows = static_cast<index_t>(a.rows + static_cast<std::int64_t>(parts.size()));
  DeviceArray<std::int64_t> row_starts(device, static_cast<std::size_t>(rows) + 1);
  for_each(std::int64_t{rows} + 1,
           CountEntries<O>{a.offsets, a.rows, b.parts, piece, part.data(), row_starts.data()});
  exclusive_sum(std::int64_t{rows} + 1, row_starts.data(), row_starts.data());
  cut(device, row_starts.data(), rows, units, rule, room, b);

  const auto n = static_cast<std::size_t>(b.nnz);
  b.starts = {device, static_cast<std::size_t>(v.units) * static_cast<std::size_t>(v.slabs) + 1};
  b.places = {device, n};
  b.values = {device, n};
  const int threads = threads_for(std::int64_t{v.units} * 32, 256);
  launch(
      {.blocks = blocks_for(v.units, threads / 32),
       .threads = threads,
       .shared_bytes = sizeof(int) * static_cast<std::size_t>(threads / 32 * v.slabs)},
      SplitUnits<T, O>{a, row_starts.data(), part.data(), v.slabs, v.bits,
                       static_cast<int>(std::bit_width(static_cast<unsigned>(v.slabs - 1))),
                       v.units, b.first.data(), b.starts.data(), b.places.data(), b.values.data()});
  wait_for(device);  // before what was needed for a while goes; products may run on other streams
  v.first = b.first.data();
  v.starts = b.starts.data();
  v.places = b.places.data();
  v.values = b.values.data();
  v.row_of = b.row_of.data();
  return b;
}

#define NZ_INSTANTIATE(T, O) \
  template SlabUnits<T> slabs_on_device(const CsrView<T, O>&, const SlabRule&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
