#include <algorithm>
#include <string>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/long_rows.hpp"
#include "kernels/gpu/packed_slices.hpp"
#include "kernels/gpu/sort_scan.hpp"
#include "kernels/gpu/value_codes.hpp"
#include "simt/warp.hpp"

// A warp a slice: its rows are walked side by side, from diagonal to diagonal. Those that are on
// the same one make a run where they are enough, and have a pick each where not. Once to count,
// once to write.
namespace nz::NZ_HOME {
namespace {

constexpr index_t none = 0x7fffffff;

NZ_DEVICE index_t min_all(Thread& t, index_t v) {
  for (int mask = 16; mask > 0; mask /= 2) {
    const index_t other = t.shuffle_xor(v, mask);
    v = other < v ? other : v;
  }
  return v;
}
NZ_DEVICE index_t max_all(Thread& t, index_t v) {
  for (int mask = 16; mask > 0; mask /= 2) {
    const index_t other = t.shuffle_xor(v, mask);
    v = other > v ? other : v;
  }
  return v;
}
// The number of zeros below the lowest one.
NZ_DEVICE int lowest(unsigned mask) { return bit_count((mask & (0u - mask)) - 1); }

// The rows of a slice that are not done yet, four a lane.
template <class T, class O>
struct SliceWalk {
  CsrView<T, O> a;
  int enough;

  // For all lanes: run(first, mask, equal, entries) for every run; pick(part, column, entry) for
  // whoever has one. `entries` are those of the lane's rows, where the mask has them.
  template <class OnRun, class OnPick>
  NZ_DEVICE void operator()(Thread& t, std::int64_t slice, OnRun&& run, OnPick&& pick) const {
    const auto* bits = reinterpret_cast<const Bits<T>*>(a.values);
    std::int64_t k[slice_parts] = {}, end[slice_parts] = {};
    index_t diagonal[slice_parts];
    Bits<T> value[slice_parts];
    const auto fetch = [&](int p) {
      diagonal[p] = k[p] < end[p] ? t.load(a.columns + k[p]) - 32 * p - t.lane() : none;
      value[p] = k[p] < end[p] ? t.load(bits + k[p]) : 0;
    };
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const std::int64_t row = slice * slice_rows + 32 * p + t.lane();
      k[p] = row < a.rows ? t.load(a.offsets + row) : 0;
      end[p] = row < a.rows ? t.load(a.offsets + row + 1) : 0;
      fetch(p);
    }
    for (;;) {
      index_t first = diagonal[0];
      NZ_UNROLL
      for (int p = 1; p < slice_parts; ++p) first = diagonal[p] < first ? diagonal[p] : first;
      first = min_all(t, first);
      if (first == none) return;
      SliceMask mask;
      int rows = 0;
      Bits<T> of_one = 0;
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        mask.at[p] = t.ballot(diagonal[p] == first);
        if (mask.at[p] != 0) of_one = t.shuffle(value[p], lowest(mask.at[p]));
        rows += bit_count(mask.at[p]);
      }
      bool same = true;
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        same = same && (diagonal[p] != first || value[p] == of_one);
      const bool equal = t.all(same);
      const bool is_run = rows >= (equal ? enough_equal : enough);
      if (is_run) run(first, mask, equal, k);
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        if (diagonal[p] != first) continue;
        if (!is_run) pick(p, first + 32 * p + t.lane(), k[p]);
        ++k[p];
        fetch(p);
      }
    }
  }
};

// How many rows of the slice have more picks, or as many and come before; so for each of the
// lane's.
NZ_DEVICE void rank_rows(Thread& t, const index_t* picks, int* rank) {
  constexpr index_t most = 1 << 23;
  index_t key[slice_parts];
  NZ_UNROLL
  for (int p = 0; p < slice_parts; ++p) {
    const index_t n = picks[p] < most ? picks[p] : most;
    key[p] = n * slice_rows + (slice_rows - 1 - 32 * p - t.lane());
    rank[p] = 0;
  }
  NZ_ROLLED
  for (int l = 0; l < 32; ++l) NZ_UNROLL
  for (int q = 0; q < slice_parts; ++q) {
    const index_t its = t.shuffle(key[q], l);
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) rank[p] += its > key[p];
  }
}

template <class T, class O>
struct CountSlices {
  static constexpr const char* name = "count the runs of slices";
  SliceWalk<T, O> walk;
  std::int64_t slices;
  std::int64_t* equal;  // slices + 1 of each; the last is 0
  std::int64_t* runs;
  std::int64_t* picks;  // slices * slice_parts + 1
  std::uint8_t* ranks;
  index_t* base;
  unsigned* far;  // slices that span too much for 2 bytes
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t s = t.global_index() / 32; s <= slices; s += t.global_size() / 32) {
      if (s == slices) {
        if (t.lane() == 0) equal[s] = runs[s] = picks[s * slice_parts] = 0;
        continue;
      }
      std::int64_t with_one = 0, with_all = 0;
      index_t mine[slice_parts] = {}, least = none, most = 0;
      walk(
          t, s,
          [&](index_t, const SliceMask&, bool one, const std::int64_t*) {
            ++(one ? with_one : with_all);
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
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        ranks[s * slice_rows + 32 * p + t.lane()] = static_cast<std::uint8_t>(rank[p]);
        if (rank[p] % 32 == 0) picks[s * slice_parts + rank[p] / 32] = mine[p];
      }
      if (t.lane() != 0) continue;
      equal[s] = with_one;
      runs[s] = with_all;
      base[s] = least == none ? 0 : least;
      if (least != none && most - least > 0xfffe) t.atomic_add(far, 1u);
    }
  }
};

struct WriteStarts {
  static constexpr const char* name = "write where slices start";
  std::int64_t slices;
  const std::int64_t* equal;
  const std::int64_t* runs;
  const std::int64_t* picks;
  const index_t* base;
  SliceStart* starts;
  std::uint32_t* pick_starts;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t i = t.global_index(); i <= slices * slice_parts; i += t.global_size()) {
      pick_starts[i] = static_cast<std::uint32_t>(t.load(picks + i));
      if (i <= slices)
        starts[i] = {static_cast<std::uint32_t>(t.load(equal + i)),
                     static_cast<std::uint32_t>(t.load(runs + i)),
                     i < slices ? t.load(base + i) : 0, 0};
    }
  }
};

template <class T, class O, class Index, ValueCode code>
struct WriteSlices {
  static constexpr const char* name = "write slices";
  using Stored = Coded<T, code>;
  SliceWalk<T, O> walk;
  std::int64_t slices;
  ValueLookup<T> lookup;
  const SliceStart* starts;
  const std::uint32_t* pick_starts;
  const std::uint8_t* ranks;
  EqualRun<T>* equal_runs;
  Run* runs;
  Stored* run_values;
  Index* picks;
  Stored* pick_values;

  NZ_DEVICE void write(Thread& t, Stored* to, std::int64_t entry) const {
    if constexpr (code != ValueCode::constant)
      *to = entry < 0 ? Stored(0) : encode<code>(t, lookup, t.load(walk.a.values + entry));
  }
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t s = t.global_index() / 32; s < slices; s += t.global_size() / 32) {
      const SliceStart start = t.load(starts + s);
      std::int64_t e = start.equal, r = start.run;
      std::int64_t to[slice_parts], end[slice_parts];  // of a row's picks, 32 apart
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        const int rank = t.load(ranks + s * slice_rows + 32 * p + t.lane());
        const std::uint32_t* its = pick_starts + s * slice_parts + rank / 32;
        to[p] = std::int64_t{t.load(its)} * 32 + rank % 32;
        end[p] = std::int64_t{t.load(its + 1)} * 32;
      }
      walk(
          t, s,
          [&](index_t first, const SliceMask& mask, bool equal, const std::int64_t* entry) {
            bool writes = true;  // the first who has a part in it
            NZ_UNROLL
            for (int p = 0; p < slice_parts; ++p) {
              const bool mine = mask.at[p] >> t.lane() & 1;
              if (equal && writes && mask.at[p] != 0) {
                if (t.lane() == lowest(mask.at[p]))
                  equal_runs[e] = {mask, {first, t.load(walk.a.values + entry[p])}};
                writes = false;
              }
              if (!equal)
                write(t, run_values + r * slice_rows + 32 * p + t.lane(), mine ? entry[p] : -1);
            }
            if (equal) {
              ++e;
              return;
            }
            if (t.lane() == 0) runs[r] = {mask, first};
            ++r;
          },
          [&](int p, index_t column, std::int64_t entry) {
            picks[to[p]] = static_cast<Index>(column - start.base);
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
void refuse_long_rows(const CsrView<T, O>& a, double max_ratio) {
  const double mean = static_cast<double>(a.nnz) / std::max<double>(1, a.rows);
  const double most = std::min(1e15, max_ratio * (64 + 4 * mean));
  const LongRows<T> found(a, static_cast<std::int64_t>(most), 1 << 20);
  if (found.pieces() == 0) return;
  const LongRow row = found.rows().front();
  throw Refused("packed: row " + std::to_string(row.row) + " has " + std::to_string(row.entries) +
                " entries, the mean is " + std::to_string(mean));
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
  refuse_long_rows(a, max_ratio);
  ValueCodes<T> codes = find_value_codes(a.values, v.nnz);
  v.code = codes.code;
  const SliceWalk<T, O> walk{a, enough_rows(code_bytes<T>(v.code))};

  const std::int64_t slices = v.slices(), parts = slices * slice_parts;
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  DeviceArray<std::int64_t> equal(device, size(slices + 1)), runs(device, size(slices + 1)),
      picks(device, size(parts + 1));
  DeviceArray<index_t> base(device, size(slices + 1));
  packed.ranks = {device, size(slices * slice_rows)};
  const unsigned zero = 0;
  DeviceArray<unsigned> far(device, std::span(&zero, 1));
  const Launch warps = over((slices + 1) * 32, 1 << 20);
  launch(warps, CountSlices<T, O>{walk, slices, equal.data(), runs.data(), picks.data(),
                                  packed.ranks.data(), base.data(), far.data()});
  const auto sum = [&](std::int64_t n, DeviceArray<std::int64_t>& counts) {
    sum_before(n + 1, counts.data(), counts.data());
    std::int64_t all = 0;
    simt::backend(device).copy(&all, counts.data() + n, sizeof all, nullptr);
    return all;
  };
  const std::int64_t equals = sum(slices, equal), others = sum(slices, runs),
                     picked = sum(parts, picks);
  unsigned spread = 0;
  far.download(std::span(&spread, 1));
  v.far = spread > 0;
  const auto places = static_cast<double>(others * slice_rows + picked * 32);
  if (places > max_ratio * static_cast<double>(v.nnz) + slice_rows)
    throw Refused("packed: " + std::to_string(places / static_cast<double>(v.nnz)) +
                  " places a nonzero in slices");
  if (std::max({equals, others, picked}) > std::int64_t{0xffffffff})
    throw Refused("packed: " + std::to_string(equals + others + picked) + " runs and picks");

  packed.starts = {device, size(slices + 1)};
  packed.pick_starts = {device, size(parts + 1)};
  packed.equal_runs = {device, size(equals)};
  packed.runs = {device, size(others)};
  packed.run_values = {device, size(others * slice_rows) * code_bytes<T>(v.code)};
  packed.pick_values = {device, size(picked * 32) * code_bytes<T>(v.code)};
  launch(over(parts + 1, 1 << 16),
         WriteStarts{slices, equal.data(), runs.data(), picks.data(), base.data(),
                     packed.starts.data(), packed.pick_starts.data()});
  const auto write = [&]<class Index>(DeviceArray<Index>& columns) {
    columns = {device, size(picked * 32)};
    for_code<T>(v.code, [&]<ValueCode code>() {
      launch(warps,
             WriteSlices<T, O, Index, code>{
                 walk, slices, codes.lookup(), packed.starts.data(), packed.pick_starts.data(),
                 packed.ranks.data(), packed.equal_runs.data(), packed.runs.data(),
                 reinterpret_cast<Coded<T, code>*>(packed.run_values.data()), columns.data(),
                 reinterpret_cast<Coded<T, code>*>(packed.pick_values.data())});
    });
  };
  if (v.far)
    write(packed.far_picks);
  else
    write(packed.near_picks);
  wait_for(device);
  if (picked == 0) packed.ranks = {};
  packed.table = std::move(codes.table);
  v.starts = packed.starts.data();
  v.pick_starts = packed.pick_starts.data();
  v.ranks = packed.ranks.data();
  v.equal_runs = packed.equal_runs.data();
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
