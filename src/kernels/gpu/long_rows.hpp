#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <nonzero/device.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/row_sums.hpp"
#include "simt/warp.hpp"

// Rows of more than `most` entries, cut into pieces of about equal size, each the work of one warp.
// The pieces of a row put their sums together without waiting for each other, in the same launch
// and always in the same order.
namespace nz::NZ_HOME {

struct Piece {
  std::int64_t entry;
  index_t row;
  int entries;
  int first;   // piece of the row
  int pieces;  // of the row
};

struct LongRow {
  std::int64_t entry, entries;
  index_t row;
};

template <class O>
struct FindLongRows {
  static constexpr const char* name = "find long rows";
  const O* offsets;
  index_t rows;
  std::int64_t most;
  LongRow* found;
  std::int64_t room;
  unsigned* count;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t r = t.global_index(); r < rows; r += t.global_size()) {
      const std::int64_t entry = offsets[r], entries = offsets[r + 1] - entry;
      if (entries <= most) continue;
      const unsigned at = t.atomic_add(count, 1u);
      if (at < room) found[at] = {entry, entries, static_cast<index_t>(r)};
    }
  }
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
  NZ_DEVICE void add(Thread& t, const CsrView<T, O>& a, const T* x, int which, Put&& put) const {
    const Piece p = list[which];
    T sum =
        add_entries<ahead>(t, a.columns + p.entry, a.values + p.entry, x, t.lane(), p.entries, 32);
    finish(t, which, p, sum, put);
  }

  // The same for a whole block and a piece of at most `ahead` entries a thread; `sums` has room for
  // one a warp. In a small matrix nobody waits for a warp that has long to go.
  template <int ahead, class O, class Put>
  NZ_DEVICE void add_by_block(Thread& t, const CsrView<T, O>& a, const T* x, int which,
                              const SharedArray<T>& sums, Put&& put) const {
    const Piece p = list[which];
    const T sum = sum_down(t, add_at_once<ahead>(t, a.columns + p.entry, a.values + p.entry, x,
                                                 t.index(), p.entries, t.block_size()));
    if (t.lane() == 0) sums[t.warp()] = sum;
    t.sync();
    if (t.warp() == 0) finish(t, which, p, t.lane() < t.warps() ? T(sums[t.lane()]) : T(0), put);
  }

  // For one warp, whose lanes have parts of the sum of a piece, p.
  template <class Put>
  NZ_DEVICE void finish(Thread& t, int which, const Piece& p, T sum, Put&& put) const {
    sum = sum_down(t, sum);
    if (p.pieces == 1) {
      if (t.lane() == 0) put(p.row, sum);
      return;
    }
    // The last piece to come adds all in their order, so the sum is the same whichever that is.
    unsigned came = 0;
    if (t.lane() == 0) {
      partial[which] = sum;
      t.fence();
      came = t.atomic_add(arrived + p.first, 1u);
    }
    if (t.shuffle(came, 0) + 1 != static_cast<unsigned>(p.pieces)) return;
    t.sync_warp();  // what lane 0 has seen, all lanes see
    t.fence();
    sum = 0;
    for (int i = t.lane(); i < p.pieces; i += 32) sum += t.load_coherent(partial + p.first + i);
    sum = sum_down(t, sum);
    if (t.lane() != 0) return;
    arrived[p.first] = 0;  // for the next product
    put(p.row, sum);
  }

  // Adds the products of a piece's entries to y, transposed: every `step`-th from the given one on.
  template <class O>
  NZ_DEVICE void scatter(Thread& t, const CsrView<T, O>& a, T alpha, const T* x, T* y, int which,
                         int from, int step) const {
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
    const Device device = current_device();
    if (a.rows == 0) return;
    if (piece == 0)
      piece = static_cast<int>(std::clamp<std::int64_t>(
          a.nnz / (16 * simt::backend(device).info().processors) / 256 * 256, 256, 2048));
    const unsigned none = 0;
    DeviceArray<unsigned> counter(device, std::span(&none, 1));
    const std::int64_t room = a.nnz / (most + 1) + 1;  // more do not fit
    DeviceArray<LongRow> found(device,
                               static_cast<std::size_t>(std::min<std::int64_t>(room, a.rows)));
    launch({.blocks = blocks_for(a.rows, 1024, 4096), .threads = 256},
           FindLongRows<O>{a.offsets, a.rows, most, found.data(),
                           static_cast<std::int64_t>(found.size()), counter.data()});
    unsigned count = 0;
    counter.download(std::span(&count, 1));
    rows_.resize(count);
    found.download(rows_);
    std::sort(rows_.begin(), rows_.end(),
              [](const LongRow& l, const LongRow& r) { return l.row < r.row; });
    cut(device, piece);
  }

  // In the order of the matrix.
  const std::vector<LongRow>& rows() const { return rows_; }
  int pieces() const { return static_cast<int>(pieces_.size()); }
  Pieces<T> view() const { return {pieces_.data(), pieces(), partial_.data(), arrived_.data()}; }
  std::size_t bytes() const { return pieces_.bytes() + partial_.bytes() + arrived_.bytes(); }

 private:
  void cut(Device device, int piece) {
    std::vector<Piece> all;
    bool shared = false;
    for (const LongRow& r : rows_) {
      const std::int64_t pieces = (r.entries + piece - 1) / piece;
      const int first = static_cast<int>(all.size());
      for (std::int64_t p = 0; p < pieces; ++p) {
        const std::int64_t begin = r.entries * p / pieces, end = r.entries * (p + 1) / pieces;
        all.push_back({r.entry + begin, r.row, static_cast<int>(end - begin), first,
                       static_cast<int>(pieces)});
      }
      shared = shared || pieces > 1;
    }
    pieces_ = {device, std::span<const Piece>(all)};
    if (!shared) return;
    const std::vector<unsigned> zeros(all.size());
    arrived_ = {device, std::span<const unsigned>(zeros)};
    partial_ = {device, zeros.size()};
  }

  std::vector<LongRow> rows_;
  DeviceArray<Piece> pieces_;
  mutable DeviceArray<T> partial_;
  mutable DeviceArray<unsigned> arrived_;
};

}  // namespace nz::NZ_HOME
