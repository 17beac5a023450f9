#pragma once
#include <cstdint>

#include <nonzero/formats/csr.hpp>

#include "device/entry_keys.hpp"
#include "kernels/packed_rules.hpp"
#include "kernels/gpu/packed/slices.hpp"
#include "simt/warp.hpp"

// A warp a slice: its rows are walked side by side, from diagonal to diagonal. Those that are on
// the same one make a run where they are enough, and have a pick each where not.
namespace nz::NZ_HOME {

inline constexpr index_t no_column = 0x7fffffff;

// The next entries of a slice's rows, in shared memory: of neighbouring rows they are far apart,
// and each would be a sector of its own.
template <class T>
class WalkBuffer {
 public:
  static constexpr int depth = 8;  // entries a row: a sector of columns
  static std::size_t bytes(int warps) {
    return static_cast<std::size_t>(warps * places) * (sizeof(Bits<T>) + sizeof(index_t));
  }
  NZ_DEVICE explicit WalkBuffer(Thread& t)
      : values_(t.shared<Bits<T>>(t.warps() * places)),
        columns_(t.shared<index_t>(t.warps() * places)),
        first_(t.warp() * places) {}

  // From entry k of each of the lane's rows on, `left` of them.
  NZ_DEVICE void fill(Thread& t, const index_t* columns, const Bits<T>* values,
                      const std::int64_t* k, const int* left) const {
    t.sync_warp();
    const int j = t.lane() % depth;  // as many lanes a row
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) NZ_UNROLL_BY(4)
    for (int row = t.lane() / depth; row < 32; row += 32 / depth) {
      const std::int64_t entry = t.shuffle(k[p], row) + j;
      if (j >= t.shuffle(left[p], row)) continue;
      t.copy_async<1>(columns_, at(j, 32 * p + row), columns + entry);
      t.copy_async<1>(values_, at(j, 32 * p + row), values + entry);
    }
    t.commit_copies();
    t.wait_copies<0>();
    t.sync_warp();
  }
  NZ_DEVICE index_t column(int j, int row) const { return columns_[at(j, row)]; }
  NZ_DEVICE Bits<T> value(int j, int row) const { return values_[at(j, row)]; }

 private:
  // Four more than there are rows, so that those who fill it write to different banks.
  static constexpr int stride = slice_rows + 4, places = depth * stride;
  NZ_DEVICE int at(int j, int row) const { return first_ + j * stride + row; }
  SharedArray<Bits<T>> values_;
  SharedArray<index_t> columns_;
  int first_;
};

// The rows of a slice that are not done yet, four a lane.
template <class T, class O>
struct SliceWalk {
  CsrView<T, O> a;
  int enough;

  // Whether a row has more entries than that: for all lanes.
  NZ_DEVICE bool any_longer(Thread& t, std::int64_t slice, std::int64_t most) const {
    bool longer = false;
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const std::int64_t row = slice * slice_rows + 32 * p + t.lane();
      if (row < a.rows)
        longer = longer || t.load(a.offsets + row + 1) - t.load(a.offsets + row) > most;
    }
    return t.any(longer);
  }

  // For all lanes: run(first, mask, equal, value, entries) for every run, where first is the column
  // that the slice's first row has or would have, and value is that of one of its rows;
  // pick(part, column, entry) for whoever has one. `entries` are those of the lane's rows, where
  // the mask has them.
  template <class OnRun, class OnPick>
  NZ_DEVICE void operator()(Thread& t, const WalkBuffer<T>& buffer, std::int64_t slice, OnRun&& run,
                            OnPick&& pick) const {
    std::int64_t k[slice_parts], end[slice_parts];
    int next[slice_parts], left[slice_parts] = {};  // in the buffer
    index_t diagonal[slice_parts];
    Bits<T> value[slice_parts];
    bool ahead[slice_parts];  // the row goes on to its next entry
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const std::int64_t row = slice * slice_rows + 32 * p + t.lane();
      k[p] = row < a.rows ? t.load(a.offsets + row) : 0;
      end[p] = row < a.rows ? t.load(a.offsets + row + 1) : 0;
      next[p] = 0;
      ahead[p] = true;
    }
    for (;;) {
      bool empty = false;
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) empty = empty || (next[p] == left[p] && k[p] < end[p]);
      if (t.any(empty)) {
        NZ_UNROLL
        for (int p = 0; p < slice_parts; ++p) {
          left[p] = static_cast<int>(end[p] - k[p] < buffer.depth ? end[p] - k[p] : buffer.depth);
          next[p] = 0;
        }
        buffer.fill(t, a.columns, reinterpret_cast<const Bits<T>*>(a.values), k, left);
      }
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        if (!ahead[p]) continue;
        const int row = 32 * p + t.lane();
        diagonal[p] = next[p] < left[p] ? buffer.column(next[p], row) - row : no_column;
        value[p] = next[p] < left[p] ? buffer.value(next[p], row) : 0;
      }
      index_t first = diagonal[0];
      NZ_UNROLL
      for (int p = 1; p < slice_parts; ++p) first = diagonal[p] < first ? diagonal[p] : first;
      first = min_all(t, first);
      if (first == no_column) return;
      SliceMask mask;
      int rows = 0;
      Bits<T> of_one = 0;
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        ahead[p] = diagonal[p] == first;
        mask.at[p] = t.ballot(ahead[p]);
        if (mask.at[p] != 0) of_one = t.shuffle(value[p], lowest(mask.at[p]));
        rows += bit_count(mask.at[p]);
      }
      bool same = true;
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) same = same && (!ahead[p] || value[p] == of_one);
      const bool equal = t.all(same);
      const bool is_run = rows >= (equal ? enough_equal : enough);
      if (is_run) run(first, mask, equal, of_one, k);
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        if (!ahead[p]) continue;
        if (!is_run) pick(p, first + 32 * p + t.lane(), k[p]);
        ++k[p];
        ++next[p];
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

// A run as it is stored, by all lanes.
template <class T>
NZ_DEVICE void write_run(Thread& t, Run<T>* to, const SliceMask& mask, index_t diagonal,
                         Bits<T> value) {
  unsigned mine = 0;
  NZ_UNROLL
  for (int p = 0; p < slice_parts; ++p) mine |= (mask.at[p] >> t.lane() & 1) << p;
  const unsigned next = t.shuffle_down(mine, 1);
  if (t.lane() % 2 == 0) to->rows.at[t.lane() / 2] = static_cast<std::uint8_t>(mine | next << 4);
  if (t.lane() != 1) return;
  // With what lies between and behind them: runs are copied as a whole.
  static_assert(sizeof(typename Run<T>::Head) == 16 && alignof(T) == sizeof(T));
  Pack<std::uint32_t, 4> words{};
  memcpy(&words.at[0], &diagonal, sizeof diagonal);
  memcpy(&words.at[sizeof(T) / 4], &value, sizeof value);
  typename Run<T>::Head head;
  memcpy(&head, &words, sizeof head);
  to->head = head;
}

}  // namespace nz::NZ_HOME
