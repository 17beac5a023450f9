#include <algorithm>
#include <string>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/packed_slices.hpp"
#include "kernels/gpu/sort_scan.hpp"
#include "kernels/gpu/entry_keys.hpp"
#include "simt/warp.hpp"

// A warp a slice: lanes go along their rows side by side, from diagonal to diagonal. Those who are
// on the same one make a run where they are enough, and have a pick each where not. Once to count,
// once to write.
namespace nz::NZ_HOME {
namespace {

// Lanes that are worth a run: one of a single value takes 16 bytes, another as many as 32 values.
constexpr int enough_equal = 8, enough = 20;
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

// run(first, mask, equal, place, mine) for every run, all lanes; pick(column, place) for whoever
// has one. `place` is the entry of the lane, where it has part in it.
template <class T, class O, class OnRun, class OnPick>
NZ_DEVICE void walk_slice(Thread& t, const CsrView<T, O>& a, std::int64_t slice, OnRun&& run,
                          OnPick&& pick) {
  const auto* bits = reinterpret_cast<const Bits<T>*>(a.values);
  const std::int64_t row = slice * slice_rows + t.lane();
  std::int64_t k = row < a.rows ? t.load(a.offsets + row) : 0;
  const std::int64_t end = row < a.rows ? t.load(a.offsets + row + 1) : 0;
  index_t column = 0;
  Bits<T> value = 0;
  const auto fetch = [&] {
    if (k == end) return;
    column = t.load(a.columns + k);
    value = t.load(bits + k);
  };
  fetch();
  for (;;) {
    const index_t diagonal = k < end ? column - t.lane() : none;
    const index_t first = min_all(t, diagonal);
    if (first == none) return;
    const bool mine = diagonal == first;
    const unsigned mask = t.ballot(mine);
    const int leader = bit_count((mask & (0u - mask)) - 1);
    const Bits<T> its = t.shuffle(value, leader);
    const bool equal = t.all(!mine || value == its);
    if (bit_count(mask) >= (equal ? enough_equal : enough))
      run(first, mask, equal, k, mine);
    else if (mine)
      pick(column, k);
    if (mine) {
      ++k;
      fetch();
    }
  }
}

template <class T, class O>
struct CountSlices {
  static constexpr const char* name = "count the runs of slices";
  CsrView<T, O> a;
  std::int64_t slices;
  std::int64_t* equal;  // slices + 1 of each; the last is 0
  std::int64_t* runs;
  std::int64_t* picks;
  index_t* base;
  unsigned* far;  // slices that span too much for 2 bytes
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t s = t.global_index() / 32; s <= slices; s += t.global_size() / 32) {
      std::int64_t with_one = 0, with_all = 0;
      index_t mine = 0, least = none, most = 0;
      if (s < slices)
        walk_slice(
            t, a, s,
            [&](index_t, unsigned, bool one, std::int64_t, bool) { ++(one ? with_one : with_all); },
            [&](index_t column, std::int64_t) {
              ++mine;
              least = column < least ? column : least;
              most = column > most ? column : most;
            });
      mine = max_all(t, mine);
      least = min_all(t, least);
      most = max_all(t, most);
      if (t.lane() != 0) continue;
      equal[s] = with_one;
      runs[s] = with_all;
      picks[s] = mine;
      if (s == slices) continue;
      base[s] = mine == 0 ? 0 : least;
      if (mine > 0 && most - least > 0xfffe) t.atomic_add(far, 1u);
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
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t s = t.global_index(); s <= slices; s += t.global_size())
      starts[s] = {static_cast<std::uint32_t>(t.load(equal + s)),
                   static_cast<std::uint32_t>(t.load(runs + s)),
                   static_cast<std::uint32_t>(t.load(picks + s)),
                   s < slices ? t.load(base + s) : 0};
  }
};

// Values as they are; nothing where there is none.
template <class T>
struct ValueEncoder {
  NZ_DEVICE void write(Thread& t, std::byte* to, std::int64_t i, const T* from) const {
    reinterpret_cast<T*>(to)[i] = from ? t.load(from) : T(0);
  }
};

template <class T, class O, class Index>
struct WriteSlices {
  static constexpr const char* name = "write slices";
  CsrView<T, O> a;
  std::int64_t slices;
  ValueEncoder<T> encoder;
  const SliceStart* starts;
  EqualRun<T>* equal_runs;
  Run* runs;
  std::byte* run_values;
  Index* picks;
  std::byte* pick_values;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t s = t.global_index() / 32; s < slices; s += t.global_size() / 32) {
      const SliceStart start = t.load(starts + s), next = t.load(starts + s + 1);
      std::int64_t e = start.equal, r = start.run, p = start.pick;
      walk_slice(
          t, a, s,
          [&](index_t first, unsigned mask, bool equal, std::int64_t place, bool mine) {
            const bool writes = t.lane() == bit_count((mask & (0u - mask)) - 1);
            if (equal) {
              if (writes) equal_runs[e] = {first, mask, t.load(a.values + place)};
              ++e;
              return;
            }
            if (writes) runs[r] = {first, mask};
            encoder.write(t, run_values, r * slice_rows + t.lane(),
                          mine ? a.values + place : nullptr);
            ++r;
          },
          [&](index_t column, std::int64_t place) {
            picks[p * slice_rows + t.lane()] = static_cast<Index>(column - start.base);
            encoder.write(t, pick_values, p * slice_rows + t.lane(), a.values + place);
            ++p;
          });
      for (; p < next.pick; ++p) {
        picks[p * slice_rows + t.lane()] = static_cast<Index>(~Index{0});
        encoder.write(t, pick_values, p * slice_rows + t.lane(), nullptr);
      }
    }
  }
};

}  // namespace

template <Value T, Offset O>
PackedSlices<T> packed_slices(const CsrView<T, O>& a, double max_ratio) {
  const Device device = current_device();
  PackedSlices<T> p;
  PackedSlicesView<T>& v = p.view;
  v.rows = a.rows;
  v.cols = a.cols;
  v.nnz = a.nnz;
  const std::int64_t slices = v.slices();
  const auto n = static_cast<std::size_t>(slices) + 1;
  DeviceArray<std::int64_t> equal(device, n), runs(device, n), picks(device, n);
  DeviceArray<index_t> base(device, n);
  const unsigned zero = 0;
  DeviceArray<unsigned> far(device, std::span(&zero, 1));
  const Launch warps = over(static_cast<std::int64_t>(n) * 32, 1 << 20);
  launch(warps, CountSlices<T, O>{a, slices, equal.data(), runs.data(), picks.data(), base.data(),
                                  far.data()});
  const auto sum = [&](DeviceArray<std::int64_t>& counts) {
    sum_before(slices + 1, counts.data(), counts.data());
    std::int64_t all = 0;
    simt::backend(device).copy(&all, counts.data() + slices, sizeof all, nullptr);
    return all;
  };
  const std::int64_t equals = sum(equal), others = sum(runs), picked = sum(picks);
  unsigned spread = 0;
  far.download(std::span(&spread, 1));
  v.far = spread > 0;
  const double places = static_cast<double>(slice_rows) * static_cast<double>(others + picked);
  if (places > max_ratio * static_cast<double>(v.nnz) + slice_rows * static_cast<double>(slices))
    throw Refused("packed: " + std::to_string(places / static_cast<double>(v.nnz)) +
                  " places a nonzero in slices of 32 rows");
  if (std::max({equals, others, picked}) > std::int64_t{0xffffffff})
    throw Refused("packed: " + std::to_string(equals + others + picked) + " runs and picks");

  const auto size = [](std::int64_t m) { return static_cast<std::size_t>(m); };
  p.starts = {device, n};
  p.equal_runs = {device, size(equals)};
  p.runs = {device, size(others)};
  p.run_values = {device, size(others * slice_rows) * code_bytes<T>(v.code)};
  p.pick_values = {device, size(picked * slice_rows) * code_bytes<T>(v.code)};
  launch(over(slices + 1, 1 << 16), WriteStarts{slices, equal.data(), runs.data(), picks.data(),
                                                base.data(), p.starts.data()});
  const auto write = [&]<class Index>(DeviceArray<Index>& columns) {
    columns = {device, size(picked * slice_rows)};
    launch(warps, WriteSlices<T, O, Index>{a,
                                           slices,
                                           {},
                                           p.starts.data(),
                                           p.equal_runs.data(),
                                           p.runs.data(),
                                           p.run_values.data(),
                                           columns.data(),
                                           p.pick_values.data()});
  };
  if (v.far)
    write(p.far_picks);
  else
    write(p.near_picks);
  v.starts = p.starts.data();
  v.equal_runs = p.equal_runs.data();
  v.runs = p.runs.data();
  v.run_values = p.run_values.data();
  v.near_picks = p.near_picks.data();
  v.far_picks = p.far_picks.data();
  v.pick_values = p.pick_values.data();
  v.table = p.table.data();
  wait_for(device);
  return p;
}

#define NZ_INSTANTIATE(T, O) template PackedSlices<T> packed_slices(const CsrView<T, O>&, double);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
