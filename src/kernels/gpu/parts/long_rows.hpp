#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nonzero/device.hpp>

#include "device/fetch.hpp"
#include "kernels/gpu/parts/meeting.hpp"
#include "kernels/gpu/parts/row_cuts.hpp"
#include "kernels/gpu/parts/row_sums.hpp"
#include "simt/backend.hpp"
#include "simt/scratch.hpp"
#include "simt/warp.hpp"

// Rows of more than `most` entries, cut into pieces of about equal size, each the work of one warp.
// The pieces of a row put their sums together without waiting for each other, in the same launch
// and always in the same order.
namespace nz::NZ_HOME {

struct LongRow {
  std::int64_t entry, entries;
  index_t row;
};

// What a kernel needs of them.
template <class T>
struct Pieces {
  const Piece* list;
  int count;
  T* partial;         // one a piece
  unsigned* arrived;  // likewise: how many pieces of the row that begins there have come

  // The piece of this warp, where the first blocks of a grid take one a warp; -1: none.
  NZ_DEVICE int mine(Thread& t) const {
    const int p = t.block() * t.warps() + t.warp();
    return p < count ? p : -1;
  }

  // For one warp: adds the entries of a piece; `put(row, sum)` for whoever has the sum of the row.
  template <int ahead, class O, class Put>
  NZ_DEVICE void add(Thread& t, const CsrView<T, O>& a, VectorOf<T> x, int which, Put&& put) const {
    const Piece p = list[which];
    T sum =
        add_entries<ahead>(t, a.columns + p.entry, a.values + p.entry, x, t.lane(), p.entries, 32);
    finish(t, which, p, sum, put);
  }

  // The same for a whole block and a piece of at most `ahead` entries a thread; `sums` has room for
  // one a warp. In a small matrix nobody waits for a warp that has long to go.
  template <int ahead, class O, class Put>
  NZ_DEVICE void add_by_block(Thread& t, const CsrView<T, O>& a, VectorOf<T> x, int which,
                              const SharedArray<T>& sums, Put&& put) const {
    const Piece p = list[which];
    const T sum =
        reduce_to_first_lane(t, add_at_once<ahead>(t, a.columns + p.entry, a.values + p.entry, x,
                                                   t.index(), p.entries, t.block_size()));
    if (t.lane() == 0) sums[t.warp()] = sum;
    t.sync();
    if (t.warp() == 0) finish(t, which, p, t.lane() < t.warps() ? T(sums[t.lane()]) : T(0), put);
  }

  // For one warp, whose lanes have parts of the sum of a piece, p.
  template <class Put>
  NZ_DEVICE void finish(Thread& t, int which, const Piece& p, T sum, Put&& put) const {
    sum = reduce_to_first_lane(t, sum);
    if (p.pieces == 1) {
      if (t.lane() == 0) put(p.row, sum);
      return;
    }
    meet_and_sum(
        t, {arrived + p.first, p.pieces}, which - p.first, sum,
        [&](int i) { return partial + (p.first + i); }, [&](T all) { put(p.row, all); });
  }

  // Adds the products of a piece's entries to y, transposed: every `step`-th from the given one on.
  template <class O>
  NZ_DEVICE void scatter(Thread& t, const CsrView<T, O>& a, FactorOf<T> alpha, VectorOf<T> x, T* y,
                         int which, int from, int step) const {
    const Piece& p = list[which];
    scatter_entries(t, a, alpha, x, y, p.row, p.entry, p.entries, from, step);
  }
};

template <Value T>
class LongRows {
 public:
  LongRows() = default;  // none
  // The matrix is on the current device. A piece of 0: so that
  // there are enough for some warps a processor.
  template <Offset O>
  LongRows(const CsrView<T, O>& a, std::int64_t most, int piece) {
    constexpr int rows = 1024;  // a warp counts
    const RowCuts<O> cuts(
        {a.offsets, a.rows, most, piece_for(a.nnz, piece), rows, blocks_for(a.rows, rows), false});
    take(cuts, nullptr, nullptr);
  }
  // The pieces of what was cut; and the tiles, where they are wanted.
  template <class O>
  void take(const RowCuts<O>& cuts, Tile* tiles, LongRowGap* gaps) {
    pieces_ = cuts.totals().pieces;
    cut_ = pieces_ > cuts.totals().longs;
    longest_ = cuts.totals().longest;
    list_ = {current_device(), static_cast<std::size_t>(pieces_)};
    if (pieces_ > 0 || tiles) cuts.write(tiles, gaps, list_.data());
  }

  static int piece_for(std::int64_t nnz, int wanted) {
    if (wanted != 0) return wanted;
    const std::int64_t warps = 16 * simt::backend(current_device()).info().processors;
    return static_cast<int>(std::clamp<std::int64_t>(nnz / warps / 256 * 256, 256, 2048));
  }

  int pieces() const { return pieces_; }
  // Whether a row has more than one.
  bool cut() const { return cut_; }
  // Entries of the longest, or as many as an int can count.
  int longest() const { return longest_; }
  const Piece* list() const { return list_.data(); }
  // A sum and a counter for each.
  simt::ScratchSize scratch_size() const {
    return simt::scratch_for<T>(list_.size(), list_.size());
  }
  Pieces<T> view(const simt::Scratch& s) const {
    return {list_.data(), pieces_, s.values<T>(), s.counters};
  }
  std::size_t bytes() const { return list_.bytes(); }

  // In the order of the matrix, brought to the host.
  std::vector<LongRow> rows() const {
    std::vector<LongRow> rows;
    for (const Piece& p : fetch(list_.data(), list_.size())) {
      if (rows.empty() || rows.back().row != p.row) rows.push_back({p.entry, 0, p.row});
      rows.back().entries += p.entries;
    }
    return rows;
  }

 private:
  int pieces_ = 0, longest_ = 0;
  bool cut_ = false;
  DeviceArray<Piece> list_;
};

}  // namespace nz::NZ_HOME
