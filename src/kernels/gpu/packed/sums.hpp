#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/gpu/packed/slices.hpp"
#include "device/value_readers.hpp"

// What the runs and the picks of a slice add to its rows, by a warp. Few instructions count for as
// much here as few bytes: most of what is read comes from near caches.
namespace nz::NZ_HOME {

// Runs of one value whose x is on its way at a time, runs of many values, and picks of a lane.
template <class T>
inline constexpr int equal_ahead = sizeof(T) == 4 ? 5 : 3;
template <class T>
inline constexpr int others_ahead = sizeof(T) == 4 ? 4 : 2;
template <class T>
inline constexpr int picks_ahead = 8;

// Between loads and what waits for them: a compiler that is short of registers moves some of the
// loads behind the first wait otherwise.
NZ_DEVICE void keep_loads_before(Thread& t) { t.sync_warp(); }

// The byte with the lane's rows of a run.
template <class T>
NZ_DEVICE const std::uint8_t* lane_byte(Thread& t, const Run<T>* run) {
  return reinterpret_cast<const std::uint8_t*>(run) + t.lane() / 2;
}
// Bit p for part p, j runs on.
template <class T>
NZ_DEVICE unsigned rows_of_lane(Thread& t, const std::uint8_t* bytes, int j) {
  return static_cast<unsigned>(t.load(bytes + j * int(sizeof(Run<T>)))) >> 4 * (t.lane() % 2);
}

// A warp's slice while it is summed up: row is the lane's first.
template <class T>
struct SliceSums {
  const T* x;
  index_t row;
  T sum[slice_parts] = {};

  NZ_DEVICE void add_equal(Thread& t, const Run<T>* list, std::uint32_t n, bool plain) {
    if (plain)
      add_equal_by<equal_ahead<T>, true>(t, list, n);
    else
      add_equal_by<1, false>(t, list, n);
  }
  template <ValueCode code>
  NZ_DEVICE void add_others(Thread& t, const Run<T>* list, std::uint32_t n, bool plain,
                            const T* table, const std::byte* values, std::uint32_t first) {
    const ValueReader<T, code> reader(t, table);
    const std::int64_t at = std::int64_t{first} * slice_rows + t.lane();
    if (plain)
      add_others_by<others_ahead<T>, true>(t, reader, list, n, values, at);
    else
      add_others_by<1, false>(t, reader, list, n, values, at);
  }
  // All of a slice; `others`: they may have many values.
  template <ValueCode code, bool others>
  NZ_DEVICE void add_runs(Thread& t, const PackedSlicesView<T>& a, const SliceStart& its) {
    const Run<T>* list = a.runs + its.list;
    if (!others || its.equal > 0) add_equal(t, list, its.equal, its.plain());
    if constexpr (others)
      if (its.others() > 0)
        add_others<code>(t, list + its.equal, its.others(), its.plain(), a.table, a.run_values,
                         its.values);
  }

 private:
  // As many at a time as there are still, then fewer.
  template <int many, bool plain>
  NZ_DEVICE void add_equal_by(Thread& t, const Run<T>* list, std::uint32_t n) {
    const std::uint8_t* bytes = lane_byte(t, list);
    NZ_ROLLED
    for (; n >= many; n -= many, list += many, bytes += many * sizeof(Run<T>)) {
      unsigned rows[many];
      typename Run<T>::Head head[many];
      T its[many][slice_parts];
      NZ_UNROLL
      for (int j = 0; j < many; ++j) {
        rows[j] = rows_of_lane<T>(t, bytes, j);
        head[j] = t.load(&list[j].head);
      }
      NZ_UNROLL
      for (int j = 0; j < many; ++j) load_x<plain>(t, rows[j], head[j].diagonal, its[j]);
      if (many > 1) keep_loads_before(t);
      NZ_UNROLL
      for (int j = 0; j < many; ++j) NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        if (rows[j] & 1u << p) sum[p] += head[j].value * its[j][p];
    }
    if constexpr (many > 1)
      if (n > 0) add_equal_by<many / 2, plain>(t, list, n);
  }

  template <int many, bool plain, class Reader>
  NZ_DEVICE void add_others_by(Thread& t, const Reader& reader, const Run<T>* list, std::uint32_t n,
                               const std::byte* values, std::int64_t at) {
    const std::uint8_t* bytes = lane_byte(t, list);
    NZ_ROLLED
    for (; n >= many; n -= many, at += many * slice_rows) {
      unsigned rows[many];
      index_t diagonal[many];
      typename Reader::Stored stored[many][slice_parts];
      T its[many][slice_parts];
      NZ_UNROLL
      for (int j = 0; j < many; ++j) {
        NZ_UNROLL
        for (int p = 0; p < slice_parts; ++p)
          stored[j][p] = reader.load(t, values, at + j * slice_rows + 32 * p);
        rows[j] = rows_of_lane<T>(t, bytes, j);
        diagonal[j] = t.load(&list[j].head.diagonal);
      }
      keep_loads_before(t);
      NZ_UNROLL
      for (int j = 0; j < many; ++j) load_x<plain>(t, rows[j], diagonal[j], its[j]);
      NZ_UNROLL
      for (int j = 0; j < many; ++j) NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        if (rows[j] & 1u << p) sum[p] += reader.value(t, stored[j][p]) * its[j][p];
      list += many;
      bytes += many * sizeof(Run<T>);
    }
    if constexpr (many > 1)
      if (n > 0) add_others_by<many / 2, plain>(t, reader, list, n, values, at);
  }

  // Plain loads are without conditions: each would take instructions.
  template <bool plain>
  NZ_DEVICE void load_x(Thread& t, unsigned rows, index_t diagonal, T* its) const {
    const T* at = plain ? x + (row + diagonal) : x + (std::int64_t{row} + diagonal);
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p)
      its[p] = plain || rows & 1u << p ? t.load(at + 32 * p) : T(0);
  }
};

// What the picks of a slice sum up to, by rank: four of the lane's, one a part. The first parts
// have the most, so all have some for a while, then fewer.
template <ValueCode code, class T, class Index>
class PickSums {
 public:
  T sum[slice_parts] = {};

  NZ_DEVICE PickSums(Thread& t, const PackedSlicesView<T>& a, const Index* picks,
                     const SlicePicks& at, const T* x)
      : reader_(t, a.table), x_(x), base_(at.tail.base), none_(a.no_pick) {
    const std::int64_t first = std::int64_t{at.start.at[0]} * 32 + t.lane();
    picks_ = reinterpret_cast<const std::byte*>(picks) + first * std::int64_t{sizeof(Index)};
    values_ = a.pick_values + first * std::int64_t{sizeof(Stored)};
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      at_[p] = (at.start.at[p] - at.start.at[0]) * 32;
      count_[p] =
          (p + 1 < slice_parts ? at.start.at[(p + 1) % slice_parts] : at.tail.end) - at.start.at[p];
    }
  }
  NZ_DEVICE void add(Thread& t) { add_parts<slice_parts>(t, 0); }

 private:
  using Reader = ValueReader<T, code>;
  using Stored = typename Reader::Stored;

  // From place `done` on, where the first `parts` have more.
  template <int parts>
  NZ_DEVICE void add_parts(Thread& t, std::uint32_t done) {
    const std::uint32_t most = count_[parts - 1];
    add_by<parts, (picks_ahead<T> <= parts ? 1 : picks_ahead<T> / parts)>(t, most - done);
    if constexpr (parts > 1) add_parts<parts - 1>(t, most);
  }

  // As many of each part at a time as there are still, then fewer.
  template <int parts, int many>
  NZ_DEVICE void add_by(Thread& t, std::uint32_t n) {
    NZ_ROLLED
    for (; n >= many; n -= many) {
      Stored stored[many][parts];
      std::uint32_t pick[many][parts];
      T its[many][parts];
      NZ_UNROLL
      for (int j = 0; j < many; ++j) NZ_UNROLL
      for (int p = 0; p < parts; ++p) {
        pick[j][p] = t.load_streaming(reinterpret_cast<const Index*>(picks_) +
                                      std::int64_t{at_[p]} + 32 * j);
        stored[j][p] = reader_.load(t, values_, std::int64_t{at_[p]} + 32 * j);
      }
      keep_loads_before(t);
      NZ_UNROLL
      for (int j = 0; j < many; ++j) NZ_UNROLL
      for (int p = 0; p < parts; ++p)
        its[j][p] =
            t.load(x_ + (base_ + (pick[j][p] != none_ ? static_cast<index_t>(pick[j][p]) : 0)));
      if (sizeof(T) == 4) keep_loads_before(t);  // others lack the registers
      NZ_UNROLL
      for (int j = 0; j < many; ++j) NZ_UNROLL
      for (int p = 0; p < parts; ++p)
        if (pick[j][p] != none_) sum[p] += reader_.value(t, stored[j][p]) * its[j][p];
      NZ_UNROLL
      for (int p = 0; p < parts; ++p) at_[p] += 32 * many;
    }
    if constexpr (many > 1)
      if (n > 0) add_by<parts, many / 2>(t, n);
  }

  Reader reader_;
  const T* x_;
  index_t base_;
  std::uint32_t none_;
  const std::byte *picks_, *values_;
  std::uint32_t at_[slice_parts], count_[slice_parts];
};

}  // namespace nz::NZ_HOME
