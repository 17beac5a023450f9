#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/parts/long_rows.hpp"
#include "kernels/gpu/packed/lists.hpp"
#include "kernels/gpu/packed/slices.hpp"
#include "kernels/gpu/packed/walk.hpp"
#include "device/fetch.hpp"
#include "device/gather_ranges.hpp"
#include "device/sort_scan.hpp"
#include "device/value_codes.hpp"
#include "simt/warp.hpp"

// Slices are walked once to count, and to write their lists of runs to where there is room for
// most; lists that others have already are dropped. Only slices that store values of their own are
// walked again, to write them.
namespace nz::NZ_HOME {
namespace {

template <class T, class O>
struct CountSlices {
  static constexpr const char* name = "count the runs of slices";
  static constexpr int max_threads = 128, min_blocks = sizeof(T) == 4 ? 6 : 4;
  SliceWalk<T, O> walk;
  std::int64_t longest;  // that a row may have
  SliceLists<T> lists;
  SliceStart* starts;  // gets all but where lists and values start
  SlicePicks* picks;   // gets the base, and how many the parts have instead of where they start
  std::uint8_t* ranks;

  NZ_DEVICE void operator()(Thread& t) const {
    lists.clear(t);
    const WalkBuffer<T> buffer(t);
    for (std::int64_t s = t.global_index() / 32; s < lists.slices; s += t.global_size() / 32) {
      if (walk.any_longer(t, s, longest)) {
        if (t.lane() == 0) {  // all is in vain, but others read on
          starts[s] = {};
          picks[s] = {};
          lists.put(t, s, 0, 0, 0, 0);
          t.atomic_add(&lists.totals->too_long, 1u);
        }
        continue;
      }
      std::uint32_t equal = 0, others = 0, rows = 0;
      bool inside = true;
      std::uint64_t hash = 0;
      index_t mine[slice_parts] = {}, least = no_column, most = 0;
      walk(
          t, buffer, s,
          [&](index_t first, const SliceMask& mask, bool one, Bits<T> value, const std::int64_t*) {
            const auto diagonal = static_cast<index_t>(first - s * slice_rows);
            if (!one) value = 0;
            if (equal + others < static_cast<std::uint32_t>(lists.room))
              write_run(t, lists.place(s, one, one ? equal : others), mask, diagonal, value);
            hash = hash_run(hash, mask, diagonal, value, one);
            inside = inside && first >= 0 && first <= walk.a.cols - slice_rows;
            NZ_UNROLL
            for (int p = 0; p < slice_parts; ++p)
              rows += static_cast<std::uint32_t>(bit_count(mask.at[p]));
            ++(one ? equal : others);
          },
          [&](int p, index_t column, std::int64_t) {
            ++mine[p];
            least = column < least ? column : least;
            most = column > most ? column : most;
          });
      least = min_all(t, least);
      most = max_all(t, most);
      int rank[slice_parts];
      rank_rows(t, mine, rank);
      std::uint32_t of_first = 0;
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        ranks[s * slice_rows + 32 * p + t.lane()] = static_cast<std::uint8_t>(rank[p]);
        const auto n = static_cast<std::uint32_t>(mine[p]);
        if (rank[p] % 32 == 0) {
          picks[s].start.at[rank[p] / 32] = n;
          of_first += n;
        }
      }
      const std::uint32_t all_picks = sum_all(t, of_first);
      if (t.lane() != 0) continue;
      const bool plain = inside && 2 * rows >= slice_rows * (equal + others);
      starts[s] = {0, equal, 2 * others + plain, 0};
      picks[s].tail.base = least == no_column ? 0 : least;
      lists.put(t, s, equal, others, all_picks, hash);
      if (least != no_column && most - least > 0xfffe) t.atomic_add(&lists.totals->far, 1u);
    }
  }
};

// Where lists, values and picks start, from the sums of what comes before.
struct WritePackedStarts {
  static constexpr const char* name = "write where slices start";
  SliceSharing shares;
  SliceStart* starts;
  SlicePicks* picks;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t s = t.global_index();
    if (s == 0) shares.put_totals(t);
    if (s >= shares.slices) return;
    starts[s].list = static_cast<std::uint32_t>(shares.list_start(t, s));
    starts[s].values = static_cast<std::uint32_t>(shares.before(t, SliceSharing::values, s));
    auto at = static_cast<std::uint32_t>(shares.before(t, SliceSharing::picks, s));
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const std::uint32_t n = picks[s].start.at[p];
      picks[s].start.at[p] = at;
      at += n;
    }
    picks[s].tail.end = at;
  }
};

template <class T, class O, class Index, ValueCode code>
struct WriteSlices {
  static constexpr const char* name = "write slices";
  static constexpr int max_threads = 128, min_blocks = sizeof(T) == 4 ? 5 : 4;
  using Stored = Coded<T, code>;
  SliceWalk<T, O> walk;
  std::int64_t slices;
  std::uint32_t room;  // longer lists are written here
  ValueLookup<T> lookup;
  const SliceStart* starts;
  const SlicePicks* slice_picks;
  const std::uint8_t* ranks;
  Run<T>* runs;
  Stored* run_values;
  Index* picks;
  Stored* pick_values;

  NZ_DEVICE void write(Thread& t, Stored* to, std::int64_t entry) const {
    if constexpr (code != ValueCode::constant)
      *to = entry < 0 ? Stored(0) : encode<code>(t, lookup, t.load(walk.a.values + entry));
  }
  NZ_DEVICE void operator()(Thread& t) const {
    const WalkBuffer<T> buffer(t);
    for (std::int64_t s = t.global_index() / 32; s < slices; s += t.global_size() / 32) {
      const SliceStart start = t.load(starts + s);
      const SlicePicks its{t.load(&slice_picks[s].start), t.load(&slice_picks[s].tail)};
      const bool writes_list = start.equal + start.others() > room;
      if (!writes_list && start.others() == 0 && its.start.at[0] == its.tail.end) continue;
      Run<T>* equal = runs + start.list;
      Run<T>* other = equal + start.equal;
      std::int64_t r = start.values;
      std::int64_t to[slice_parts], end[slice_parts];  // of a row's picks, 32 apart
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        const int rank = t.load(ranks + s * slice_rows + 32 * p + t.lane());
        to[p] = std::int64_t{t.load(slice_picks[s].start.at + rank / 32)} * 32 + rank % 32;
        end[p] = std::int64_t{rank / 32 + 1 < slice_parts
                                  ? t.load(slice_picks[s].start.at + rank / 32 + 1)
                                  : its.tail.end} *
                 32;
      }
      walk(
          t, buffer, s,
          [&](index_t first, const SliceMask& mask, bool one, Bits<T> value,
              const std::int64_t* entry) {
            if (writes_list)
              write_run(t, one ? equal++ : other++, mask,
                        static_cast<index_t>(first - s * slice_rows), one ? value : 0);
            if (one) return;
            NZ_UNROLL
            for (int p = 0; p < slice_parts; ++p)
              write(t, run_values + r * slice_rows + 32 * p + t.lane(),
                    mask.at[p] >> t.lane() & 1 ? entry[p] : -1);
            ++r;
          },
          [&](int p, index_t column, std::int64_t entry) {
            picks[to[p]] = static_cast<Index>(column - its.tail.base);
            write(t, pick_values + to[p], entry);
            to[p] += 32;
          });
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        for (; to[p] < end[p]; to[p] += 32) {
          picks[to[p]] = static_cast<Index>(~Index{0});
          write(t, pick_values + to[p], -1);
        }
    }
  }
};

// A slice takes as long as its longest row, and the product at least as long as its slowest slice.
template <class T, class O>
double longest_row(const CsrView<T, O>& a, double max_ratio) {
  return std::min(1e15, max_ratio * (64 + 4 * static_cast<double>(a.nnz) / std::max(1, a.rows)));
}

template <class T, class O>
void refuse_long_row(const CsrView<T, O>& a, double max_ratio) {
  const LongRows<T> found(a, static_cast<std::int64_t>(longest_row(a, max_ratio)), 1 << 20);
  const LongRow row = found.rows().front();
  throw Refused("packed: row " + std::to_string(row.row) + " has " + std::to_string(row.entries) +
                " entries, the mean is " +
                std::to_string(static_cast<double>(a.nnz) / std::max(1, a.rows)));
}

}  // namespace

template <Value T, Offset O>
PackedSlices<T> packed_slices(const CsrView<T, O>& a, double max_ratio) {
  const Device device = current_device();
  PackedSlices<T> packed;
  PackedSlicesView<T>& v = packed.view;
  v.rows = a.rows;
  v.cols = a.cols;
  v.nnz = a.nnz;

  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const std::int64_t slices = v.slices();
  packed.starts = {device, size(slices)};
  packed.picks = {device, size(slices)};
  packed.ranks = {device, size(slices * slice_rows)};
  ListMemory<T> memory(device, slices, static_cast<double>(a.nnz) / std::max(1, a.rows));
  const int threads = threads_for(slices * 32, 128);
  const Launch warps{.blocks = blocks_for(slices, threads / 32, 1 << 20),
                     .threads = threads,
                     .shared_bytes = WalkBuffer<T>::bytes(threads / 32)};
  SliceWalk<T, O> walk{a, enough_rows(sizeof(T))};
  const auto count = [&] {
    memory.clear_totals();
    launch(warps, CountSlices<T, O>{walk, static_cast<std::int64_t>(longest_row(a, max_ratio)),
                                    memory.lists, packed.starts.data(), packed.picks.data(),
                                    packed.ranks.data()});
    memory.find_shared(packed.starts.data());
    launch(one_thread_each(slices),
           WritePackedStarts{memory.lists, packed.starts.data(), packed.picks.data()});
  };
  // Whether values are stored, and which some of them are, in one copy.
  const DeviceArray<Bits<T>> sample = sample_values(a.values, v.nnz);
  count();
  SliceTotals all{};
  std::vector<std::byte> here(sizeof all + sample.bytes());
  const std::array ranges{FetchRange{memory.lists.totals, sizeof all},
                          FetchRange{sample.data(), sample.bytes()}};
  fetch_ranges(ranges, here.data(), {});
  std::memcpy(&all, here.data(), sizeof all);
  if (all.too_long > 0) refuse_long_row(a, max_ratio);
  // Stencils have no use for a code. Narrow ones make runs of many values worth while for fewer
  // rows; where all values are the same there are none.
  ValueCodes<T> codes;
  if (all.values + all.picks > 0) {
    std::vector<Bits<T>> values(sample.size());
    std::memcpy(values.data(), here.data() + sizeof all, sample.bytes());
    codes = find_value_codes(a.values, v.nnz, std::span<const Bits<T>>(values));
    const int enough = enough_rows(code_bytes<T>(codes.code));
    if (codes.code != ValueCode::constant && enough != walk.enough) {
      walk.enough = enough;
      count();
      all = fetch(memory.lists.totals);
    }
  }
  v.code = codes.code;
  const auto places = static_cast<double>(all.values * slice_rows + all.picks * 32);
  if (places > max_ratio * static_cast<double>(v.nnz) + slice_rows)
    throw Refused("packed: " + std::to_string(places / static_cast<double>(v.nnz)) +
                  " places a nonzero in slices");
  if (std::max({all.runs, all.values, all.picks}) > std::int64_t{0xffffffff})
    throw Refused("packed: " + std::to_string(all.runs + all.values + all.picks) +
                  " runs and picks");

  v.far = all.far > 0;
  v.no_pick = v.far ? 0xffffffff : 0xffff;
  packed.equal_runs = all.equal;
  packed.other_runs = all.values;
  packed.runs = {device, size(all.runs)};
  packed.run_values = {device, size(all.values * slice_rows) * code_bytes<T>(v.code)};
  packed.pick_values = {device, size(all.picks * 32) * code_bytes<T>(v.code)};
  memory.write(packed.starts.data(), packed.runs.data());
  const auto write = [&]<class Index>(DeviceArray<Index>& columns) {
    columns = {device, size(all.picks * 32)};
    for_code<T>(v.code, [&]<ValueCode code>() {
      launch(warps,
             WriteSlices<T, O, Index, code>{
                 walk, slices, static_cast<std::uint32_t>(memory.lists.room), codes.lookup(),
                 packed.starts.data(), packed.picks.data(), packed.ranks.data(), packed.runs.data(),
                 reinterpret_cast<Coded<T, code>*>(packed.run_values.data()), columns.data(),
                 reinterpret_cast<Coded<T, code>*>(packed.pick_values.data())});
    });
  };
  if (all.values + all.picks + all.unlisted > 0) {
    if (v.far)
      write(packed.far_picks);
    else
      write(packed.near_picks);
  }
  if (all.picks == 0) {
    packed.ranks = {};
    packed.picks = {};
  }
  packed.table = std::move(codes.table);
  v.starts = packed.starts.data();
  v.picks = packed.picks.data();
  v.ranks = packed.ranks.data();
  v.runs = packed.runs.data();
  v.run_values = packed.run_values.data();
  v.near_picks = packed.near_picks.data();
  v.far_picks = packed.far_picks.data();
  v.pick_values = packed.pick_values.data();
  v.table = packed.table.data();
  return packed;
}

#define NZ_INSTANTIATE(T, O) template PackedSlices<T> packed_slices(const CsrView<T, O>&, double);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
