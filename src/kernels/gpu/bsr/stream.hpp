#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/gpu/bsr/shares.hpp"
#include "kernels/gpu/bsr/staging.hpp"
#include "kernels/gpu/bsr/sums.hpp"

// One warp multiplies its share of the blocks, a stage of some blocks after the other. Values are
// copied to shared memory two stages ahead, past the registers, in pieces of 16 bytes; the elements
// of x that they meet follow, and the numbers that say which elements come four stages ahead. So
// the memory does not wait for the arithmetic, and few warps keep it busy.
//
// Why not otherwise: tiles of whole lines, one a thread block, wait for their values, then for x,
// then for their own barriers, and keep too little in flight; shuffles for the sums of short lines
// take the same way as shared memory, more often. With small blocks instructions decide, above all
// divisions by numbers that the compiler does not know. docs/results-bsr.md has what this reaches,
// docs/experiments.md what lost to it.
namespace nz::NZ_HOME {

inline constexpr int stream_warps = 4;  // a thread block

template <class T, class Shape, bool transposed>
struct BsrStream {
  using S = Staging<T, Shape, transposed>;
  using Value = T;
  using BlockShapeOf = Shape;
  static constexpr bool by_columns = transposed;
  static constexpr const char* name =
      transposed ? "gpu/bsr/balanced, transposed" : "gpu/bsr/balanced";
  static constexpr std::size_t shared_bytes(const S& s) {
    return stream_warps * s.shared_bytes() + 16 * 8;
  }

  NZ_DEVICE void operator()(Thread& t) const {
    Room room(t, shape);
    const int warps = t.grid_size() * t.warps();
    for (int w = t.block() * t.warps() + t.warp(); w < shares.count; w += warps) {
      Walk{*this, t, room, shares.list[w], w}.all();
      t.sync_warp();
    }
  }
  static constexpr int max_threads = 32 * stream_warps;
  // As many as shared memory holds: registers must not allow fewer. In double they may; there a
  // tighter limit lets fewer loads be on their way at once, which costs more.
  static constexpr int min_blocks = sizeof(T) == 8 ? 1
                                    : Shape::fixed
                                        ? std::clamp<int>(int(220 * 1024 / shared_bytes(S{})), 1, 8)
                                        : 4;

  S shape;
  ShareView<T> shares;
  const T* values;
  const index_t* other;  // block column of each block; transposed: block row, by column
  const int* number;     // transposed: of the blocks, by column
  unsigned in, out;      // lengths of x and y
  bool whole;            // x has whole blocks
  T alpha;
  const T* x;
  T beta;
  T* y;

  // The block's shared memory, a part of each array for every warp.
  struct Room {
    SharedArray<T> values, x, part, carry;
    SharedArray<index_t> other;
    SharedArray<int> number, end;
    int warp;
    NZ_DEVICE Room(Thread& t, const S& s)
        : values(t.shared<T>(stream_warps * S::slots * s.values())),
          x(t.shared<T>(stream_warps * S::x_slots * s.stage() * s.inputs())),
          part(t.shared<T>(stream_warps * s.stage() * s.outputs())),
          carry(t.shared<T>(stream_warps * s.outputs())),
          other(t.shared<index_t>(stream_warps * S::list_slots * s.stage())),
          number(t.shared<int>(transposed ? stream_warps * S::list_slots * s.stage() : 0)),
          end(t.shared<int>(stream_warps * s.stage())),
          warp(t.warp()) {}
  };

  struct Walk {
    using Stream = BsrStream;
    const BsrStream& k;
    Thread& t;
    Room& room;
    const Share share;
    const int w;  // which

    // Where the parts of this warp begin. `by`: stages from the one that is added now.
    NZ_DEVICE static int turned(int slot, int by, int slots) {
      const int i = slot + by;
      return i < slots ? i : i - slots;
    }
    NZ_DEVICE int values_at(int by) const {
      return (room.warp * S::slots + turned(slot, by, S::slots)) * k.shape.values();
    }
    NZ_DEVICE int x_at(int by) const {
      const int i = S::x_slots == 1 ? 0 : turned(slot, by, S::slots);
      return (room.warp * S::x_slots + i) * k.shape.stage() * k.shape.inputs();
    }
    NZ_DEVICE int list_at(int by) const {
      return (room.warp * S::list_slots + turned(list_slot, by % S::list_slots, S::list_slots)) *
             k.shape.stage();
    }
    NZ_DEVICE int part_at(int block, int output) const {
      const int base = room.warp * k.shape.stage() * k.shape.outputs();
      return base + (k.shape.whole_blocks() && sizeof(T) == 8 ? output * k.shape.stage() + block
                                                              : block * k.shape.outputs() + output);
    }
    NZ_DEVICE int carry_at(int output) const { return room.warp * k.shape.outputs() + output; }
    NZ_DEVICE int end_at(int i) const { return room.warp * k.shape.stage() + i; }

    NZ_DEVICE int stages() const { return (share.blocks + k.shape.stage() - 1) / k.shape.stage(); }
    NZ_DEVICE int blocks_of(int s) const {
      const int left = share.blocks - s * k.shape.stage();
      return left < k.shape.stage() ? left : k.shape.stage();
    }
    NZ_DEVICE std::int64_t first_of(int s) const {
      return share.first + std::int64_t{s} * k.shape.stage();
    }

    // f(i) for this lane's every `each`-th i below n, counted from its own first: i = 0, 32
    // `each`... `full`: n is `most`, which the compiler knows, so that it need not count.
    template <bool full, int each, int most, class F>
    NZ_DEVICE void deal(int n, F&& f) const {
      const int mine = t.lane() * each;
      if constexpr (full && most > 0) {
        NZ_UNROLL
        for (int i = 0; i < most; i += 32 * each)
          if (i + 32 * each <= most || i + mine < most) f(i);
      } else {
        NZ_UNROLL_BY(4)
        for (int i = 0; i + mine < n; i += 32 * each) f(i);
      }
    }
    // What a full stage has, where that is known.
    static constexpr int full_stage() { return Shape::fixed ? S{}.stage() : 0; }

    NZ_DEVICE void copy_lists(int by) const {
      const int next = stage + by;
      if (next >= stages()) return;
      const int n = blocks_of(next);
      if (Shape::fixed && n == k.shape.stage())
        copy_lists<true>(by, n);
      else
        copy_lists<false>(by, n);
    }
    template <bool full>
    NZ_DEVICE void copy_lists(int by, int n) const {
      const int at = list_at(by) + t.lane();
      const std::int64_t first = first_of(stage + by) + t.lane();
      const index_t* other = k.other + first;
      const int* number = transposed ? k.number + first : nullptr;
      deal<full, 1, full_stage()>(n, [&](int b) {
        t.template copy_async<1>(room.other, at + b, other + b);
        if constexpr (transposed) t.template copy_async<1>(room.number, at + b, number + b);
      });
    }

    // Its lists have come.
    NZ_DEVICE void copy_stage(int by) const {
      const int next = stage + by;
      if (next >= stages()) return;
      const int n = blocks_of(next);
      if (Shape::fixed && n == k.shape.stage())
        copy_values<true>(by, n);
      else
        copy_values<false>(by, n);
      if constexpr (!Shape::fixed) copy_x(by);
    }
    template <bool full>
    NZ_DEVICE void copy_values(int by, int n) const {
      const int to = values_at(by), size = k.shape.size();
      constexpr int piece = S::piece;
      if constexpr (transposed) {
        const int pieces = k.shape.pieces(), list = list_at(by);
        constexpr int most = Shape::fixed ? S{}.stage() * S{}.pieces() : 0;
        deal<full, 1, most>(n * pieces, [&](int first) {
          const int q = first + t.lane();
          const int b = k.shape.block_of_piece(q);
          const std::int64_t value = std::int64_t{room.number[list + b]} * size;
          t.template copy_async<piece>(room.values, to + q * piece,
                                       k.values + value / piece * piece + (q - b * pieces) * piece);
        });
      } else {
        const int at = to + t.lane() * piece;
        const T* from = k.values + (first_of(stage + by) * size + t.lane() * piece);
        constexpr int most = Shape::fixed ? S{}.stage() * S{}.size() : 0;
        deal<full, piece, most>(
            n * size, [&](int q) { t.template copy_async<piece>(room.values, at + q, from + q); });
      }
    }

    // The element of x that comes to place q of a stage; what lies beyond x meets filled-in zeros.
    NZ_DEVICE unsigned element(int list, int q) const {
      const int inputs = k.shape.inputs(), b = k.shape.block_of_input(q);
      return unsigned(int(room.other[list + b])) * unsigned(inputs) + unsigned(q - b * inputs);
    }
    NZ_DEVICE void copy_x(int by) const {
      const int n = blocks_of(stage + by), list = list_at(by), to = x_at(by);
      NZ_UNROLL_BY(4)
      for (int q = t.lane(); q < n * k.shape.inputs(); q += 32) {
        const unsigned i = element(list, q);
        if (i < k.in)
          t.template copy_async<1>(room.x, to + q, k.x + i);
        else
          room.x[to + q] = T(0);
      }
    }
    NZ_DEVICE void read_x(int by) {
      if (stage + by >= stages()) return;
      const int n = blocks_of(stage + by);
      if (n == k.shape.stage() && k.whole)
        read_x<true>(n, list_at(by));
      else
        read_x<false>(n, list_at(by));
    }
    // `all`: the stage is full, and no block reaches beyond x.
    template <bool all>
    NZ_DEVICE void read_x(int n, int list) {
      NZ_UNROLL
      for (int j = 0; j < held; ++j) {
        const int q = 32 * j + t.lane();
        constexpr int most = S{}.stage() * S{}.inputs();
        x_next[j] = 0;
        if (all ? most % 32 == 0 || q < most : q < n * k.shape.inputs()) {
          const unsigned i = element(list, q);
          if (all || i < k.in) x_next[j] = t.load(k.x + i);
        }
      }
    }
    NZ_DEVICE void store_x() {
      const int to = x_at(0), n = k.shape.stage() * k.shape.inputs();
      NZ_UNROLL
      for (int j = 0; j < held; ++j)
        if (32 * j + t.lane() < n) room.x[to + 32 * j + t.lane()] = x_next[j];
    }

    NZ_DEVICE void put(index_t line, int output, T sum) const {
      const unsigned i = unsigned(line) * unsigned(k.shape.outputs()) + unsigned(output);
      if (i < k.out) k.y[i] = combine(k.alpha, sum, k.beta, k.y + i);
    }

    NZ_DEVICE void all() {
      ShareSums<Walk> sums{*this};
      sums.read_ends(0);
      for (int r = t.lane(); r < k.shape.outputs(); r += 32) room.carry[carry_at(r)] = T(0);
      for (int s = 0; s < S::ahead; ++s) copy_lists(s);
      t.commit_copies();
      t.template wait_copies<0>();
      t.sync_warp();
      if constexpr (Shape::fixed) read_x(0);
      for (int s = 0; s < S::ahead; ++s) {
        copy_stage(s);
        copy_lists(s + S::ahead);
        t.commit_copies();
      }
      NZ_ROLLED
      for (; stage < stages(); ++stage) {
        t.template wait_copies<S::ahead - 1>();
        t.sync_warp();
        if constexpr (Shape::fixed) store_x();
        copy_stage(S::ahead);
        copy_lists(2 * S::ahead);
        t.commit_copies();
        if constexpr (Shape::fixed) {
          t.sync_warp();
          read_x(1);
        }
        sums.add(stage);
        slot = turned(slot, 1, S::slots);
        list_slot = turned(list_slot, 1, S::list_slots);
      }
      sums.finish();
    }

    int stage = 0, slot = 0, list_slot = 0;
    static constexpr int held = Shape::fixed ? (S{}.stage() * S{}.inputs() + 31) / 32 : 1;
    T x_next[held] = {};
  };
};

}  // namespace nz::NZ_HOME
