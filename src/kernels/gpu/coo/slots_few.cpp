#include "kernels/gpu/coo/slots_few.hpp"

#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"
#include "kernels/gpu/parts/packed_loads.hpp"
#include "kernels/gpu/parts/row_meeting.hpp"
#include "simt/launch.hpp"
#include "simt/warp.hpp"

// A few vectors at once, as slots.cpp has one: a block waits for its tile, then for all elements of
// X that it needs, and for nothing else; a slot is read once for all of them. Through shared memory
// (slots_several.hpp) two would take longer than one after the other.
namespace nz::NZ_HOME {
namespace {

constexpr int sector = 32;  // bytes

// `wide` vectors: rows of whole packs, or elements that lie anywhere.
template <class T, int wide, bool packed>
struct FewOfX {
  const T* data;
  std::int64_t row, column;

  NZ_DEVICE void load(index_t i, T (&to)[wide]) const {
    const T* const from = data + i * row;
    if constexpr (packed) {
      constexpr int n = 16 / int(sizeof(T)) < wide ? 16 / int(sizeof(T)) : wide;
      NZ_UNROLL
      for (int q = 0; q < wide; q += n) {
        const auto some = *reinterpret_cast<const Pack<T, n>*>(from + q);
        NZ_UNROLL
        for (int k = 0; k < n; ++k) to[q + k] = some.at[k];
      }
    } else {
      NZ_UNROLL
      for (int q = 0; q < wide; ++q) to[q] = from[q * column];
    }
  }
};

template <class T, int items, int wide, bool packed>
struct SlotsFew {
  static constexpr const char* name = "gpu/coo/slots, a few vectors";
  static constexpr int max_threads = 256;
  // As many as the registers allow that a lane has for its slots, what they need of X, and sums.
  static constexpr int words = int(sizeof(T)) / 4;
  static constexpr int min_blocks =
      256 / (24 + items * (1 + words + wide * words) + 2 * wide * words);
  SlotsView<T> a;
  FewOfX<T, wide, packed> x;
  std::int64_t ahead;  // rows of X to ask for with the tiles
  int step;            // rows in a sector
  SeveralOutput<T> out;
  RowMeeting<T>* meetings;  // as many as tiles for each vector

  static constexpr int asks = packed ? 1 : wide;  // sectors that the elements of a row may lie in
  static std::size_t shared_bytes(int threads) {
    return static_cast<std::size_t>(threads / 32) * (wide * sizeof(T) + sizeof(int)) +
           static_cast<std::size_t>(threads * asks) * sizeof(T);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> prefetch_sink = t.shared<T>(t.block_size() * asks);
    const SharedArray<T> tails = t.shared<T>(t.warps() * wide);
    const SharedArray<int> ends_in = t.shared<int>(t.warps());
    const int tile = t.block();
    T v[items];
    index_t column[items];
    const std::int64_t near = t.global_index() * step;
    if (near < ahead) {
      NZ_UNROLL
      for (int q = 0; q < asks; ++q)
        t.template copy_async<1>(prefetch_sink, q * t.block_size() + t.index(),
                                 x.data + near * x.row + q * x.column);
    }
    t.commit_copies();
    load_packed(t, a.columns(tile) + t.index() * items, column);
    load_packed(t, a.values(tile) + t.index() * items, v);
    const unsigned packed_rows = t.load_streaming(a.rows(tile) + t.index());
    const SlotTile about = t.load_streaming(a.about(tile));
    t.sync_warp();  // and only now X
    const index_t row = about.first + static_cast<index_t>(packed_rows >> 16);
    const unsigned ends = packed_rows & 0xffffu;

    // Empty slots load what the first column needs, so that no load waits for a branch, and drop
    // it.
    T from_x[items][wide];
    NZ_UNROLL
    for (int j = 0; j < items; ++j) x.load(column[j] >= 0 ? column[j] : 0, from_x[j]);

    // The thread's first row may have begun before it, its last one may go on: head and tail.
    T head[wide] = {}, tail[wide] = {};
    index_t r = row;
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      NZ_UNROLL
      for (int q = 0; q < wide; ++q)
        tail[q] = column[j] >= 0 ? tail[q] + v[j] * from_x[j][q] : tail[q];
      if (!(ends >> j & 1)) continue;
      if (r == row)
        copy(tail, head);
      else
        put(r, tail);
      ++r;
      NZ_UNROLL
      for (int q = 0; q < wide; ++q) tail[q] = 0;
    }

    // Tails added up from the lane on in which their row began, or from the first.
    const unsigned with_end = t.ballot(ends != 0);
    const unsigned up_to_here = (with_end | 1u) << (31 - t.lane());
    NZ_UNROLL
    for (int by = 1; by < 32; by *= 2) {
      NZ_UNROLL
      for (int q = 0; q < wide; ++q) {
        const T before = t.shuffle_up(tail[q], by);
        if (up_to_here < 1u << (32 - by)) tail[q] += before;
      }
    }
    NZ_UNROLL
    for (int q = 0; q < wide; ++q) {
      const T before = t.shuffle_up(tail[q], 1);
      if (t.lane() > 0) head[q] += before;
    }
    const bool crosses = (with_end & ((1u << t.lane()) - 1)) == 0;  // warps, maybe
    if (ends != 0 && !crosses) put(row, head);
    if (t.lane() == 31) {
      NZ_UNROLL
      for (int q = 0; q < wide; ++q) tails[t.warp() * wide + q] = tail[q];
      ends_in[t.warp()] = with_end != 0;
    }
    t.template wait_copies<0>();
    t.sync();

    bool shares = false;  // the tile's first row with tiles before
    if (ends != 0 && crosses) {
      shares = add_before(t, tails, ends_in, head) && about.from < tile;
      if (!shares) put(row, head);
    }
    if (about.from < tile && t.any(shares)) {
      NZ_UNROLL
      for (int q = 0; q < wide; ++q) head[q] = sum_all(t, shares ? head[q] : T(0));
      meet(t, about.first, head, about.from, tile);
    }
    if (about.to > tile && t.warp() == t.warps() - 1) {
      NZ_UNROLL
      for (int q = 0; q < wide; ++q) tail[q] = t.shuffle(tail[q], 31);
      const bool all = with_end == 0 && add_before(t, tails, ends_in, tail);
      meet(t, t.shuffle(r, 31), tail, all ? about.from : tile, about.to);
    }
  }

 private:
  static NZ_DEVICE void copy(const T (&from)[wide], T (&to)[wide]) {
    NZ_UNROLL
    for (int q = 0; q < wide; ++q) to[q] = from[q];
  }
  // Any part of a row may be the one to finish it, in code of its own: which of the two products is
  // rounded must not be left to the compiler.
  NZ_DEVICE T finished(T sum, T old) const {
    return out.beta == T(0) ? out.alpha * sum : std::fma(out.alpha, sum, out.beta * old);
  }
  NZ_DEVICE void put(index_t row, const T (&sum)[wide]) const {
    if constexpr (packed) {
      if (out.whole == wide && out.beta == T(0)) {
        constexpr int n = 16 / int(sizeof(T)) < wide ? 16 / int(sizeof(T)) : wide;
        NZ_UNROLL
        for (int q = 0; q < wide; q += n) {
          Pack<T, n> some;
          NZ_UNROLL
          for (int k = 0; k < n; ++k) some.at[k] = out.alpha * sum[q + k];
          *reinterpret_cast<Pack<T, n>*>(out.y.at(row, q)) = some;
        }
        return;
      }
    }
    NZ_UNROLL
    for (int q = 0; q < wide; ++q)
      if (q < out.y.columns) put_one(row, q, sum[q]);
  }
  NZ_DEVICE void put_one(index_t row, int q, T sum) const {
    T* const to = out.y.at(row, q);
    *to = finished(sum, out.beta == T(0) ? T(0) : *to);
  }

  // Adds what the warps before this one have of the row. Whether it is the tile's first row.
  NZ_DEVICE bool add_before(Thread& t, const SharedArray<T>& tails, const SharedArray<int>& ends_in,
                            T (&sum)[wide]) const {
    for (int w = t.warp() - 1; w >= 0; --w) {
      NZ_UNROLL
      for (int q = 0; q < wide; ++q) sum[q] += tails[w * wide + q];
      if (ends_in[w]) return false;
    }
    return true;
  }

  // The row goes through the tiles `from` to `to`, and this one's parts are `sum`, in all lanes of
  // a warp. Where they meet in pairs a lane has a vector.
  NZ_DEVICE void meet(Thread& t, index_t row, const T (&sum)[wide], int from, int to) const {
    const auto of = [&](int q) { return meetings + std::int64_t{q} * a.tiles; };
    if (to - from < few_parts) {
      T mine = sum[0];
      NZ_UNROLL
      for (int q = 1; q < wide; ++q)
        if (t.lane() == q) mine = sum[q];
      const int q = t.lane();
      if (q < out.y.columns)
        meet_in_pairs(t, of(q), t.block(), mine, from, to, [&](T all) { put_one(row, q, all); });
      return;
    }
    NZ_UNROLL
    for (int q = 0; q < wide; ++q)
      if (q < out.y.columns)
        meet_row(t, of(q), t.block(), sum[q], from, to, [&](T all) { put_one(row, q, all); });
  }
};

}  // namespace

template <class T>
void slots_few(CUstream_st* stream, const Slots<T>& a, bool ahead, const Several<const T>& x,
               const SeveralOutput<T>& out, const simt::Scratch& scratch) {
  const int threads = a.view.shape.threads;
  const auto with = [&]<int items, int wide, bool packed>() {
    using K = SlotsFew<T, items, wide, packed>;
    // Of columns a sector has so many rows, of rows what fits.
    const std::int64_t apart = x.row == 1 ? 1 : std::max<std::int64_t>(x.row, 1);
    const int step = static_cast<int>(std::max<std::int64_t>(1, sector / int(sizeof(T)) / apart));
    const bool all = ahead && a.cols <= std::int64_t{step} * threads * a.view.tiles;
    SeveralOutput<T> to = out;
    to.whole = packed &&
                       has_packs(out.y, 16 / int(sizeof(T)) < wide ? 16 / int(sizeof(T)) : wide) &&
                       out.y.columns == wide
                   ? wide
                   : 1;
    // Where X has no rows there is no first one either.
    FewOfX<T, wide, packed> of_x{x.data, x.row, x.column};
    if (a.cols == 0) of_x = {reinterpret_cast<const T*>(a.view.data), 0, 0};
    launch({.blocks = a.view.tiles,
            .threads = threads,
            .shared_bytes = K::shared_bytes(threads),
            .stream = stream},
           K{a.view, of_x, all ? a.cols : 0, step, to,
             reinterpret_cast<RowMeeting<T>*>(scratch.counters)});
  };
  const auto with_items = [&]<int wide, bool packed>() {
    if (a.view.shape.items == 4)
      with.template operator()<4, wide, packed>();
    else
      with.template operator()<8, wide, packed>();
  };
  constexpr int pack = 16 / int(sizeof(T));
  if (x.columns == 2 && has_packs(x, 2)) return with_items.template operator()<2, true>();
  if (x.columns == 4 && has_packs(x, pack)) return with_items.template operator()<4, true>();
  if (out.y.columns == 2) return with_items.template operator()<2, false>();
  if (out.y.columns == 3) return with_items.template operator()<3, false>();
  with_items.template operator()<4, false>();
}

template <class T>
simt::ScratchSize slots_few_scratch(const Slots<T>& a) {
  if (!a.shared) return {};
  return {static_cast<std::size_t>(a.view.tiles) * most_few_vectors * sizeof(RowMeeting<T>) /
              sizeof(unsigned),
          0};
}

#define NZ_INSTANTIATE(T)                                                               \
  template void slots_few(CUstream_st*, const Slots<T>&, bool, const Several<const T>&, \
                          const SeveralOutput<T>&, const simt::Scratch&);               \
  template simt::ScratchSize slots_few_scratch(const Slots<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
