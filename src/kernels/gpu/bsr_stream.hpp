#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/gpu/bsr_shares.hpp"
#include "kernels/gpu/bsr_staging.hpp"
#include "simt/warp.hpp"

// One warp multiplies its share of the blocks, a stage of some blocks after the other. Values are
// copied to shared memory two stages ahead, past the registers, in pieces of 16 bytes; the elements
// of x that they meet follow, and the numbers that say which elements come four stages ahead. So
// the memory does not wait for the arithmetic, and few warps keep it busy.
//
// Within a line nothing needs to be put together until it ends: each lane has its own sum. In a
// stage with ends of lines the sums of its blocks go to shared memory, and as many lanes as there
// are add up each line. What is open at the end of the stage is carried on.
//
// docs/results-bsr.md has what it reaches: 82 % of the read bandwidth on the block band of
// chirila2025. Tried on an H200 and lost: tiles of whole lines, one a thread block, because a block
// that waits for its values, then for x, then for its own barriers keeps too little in flight;
// shuffles for the sums of short lines, which take the same way as shared memory, more often; long
// lines read in place, each lane at the same places of all blocks. With small blocks instructions
// decide: divisions by numbers that the compiler did not know were a fifth of them. The bulk copy
// engine was up to a tenth faster in a sketch; it is not used yet.
namespace nz::NZ_HOME {

inline constexpr int stream_warps = 4;  // a thread block

template <class T, class Shape, bool transposed>
struct BsrStream {
  using S = Staging<T, Shape, transposed>;
  static constexpr const char* name =
      transposed ? "gpu/bsr/balanced, transposed" : "gpu/bsr/balanced";
  static constexpr std::size_t shared_bytes(const S& s) {
    return stream_warps * s.shared_bytes() + 16 * 8;
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const int w = t.block() * t.warps() + t.warp();
    Room room(t, shape);
    if (w < shares.count) Walk{*this, t, room, shares.list[w], w}.all();
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

 private:
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
      return base + (k.shape.whole_blocks() ? output * k.shape.stage() + block
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

    NZ_DEVICE void copy_lists(int by) const {
      const int next = stage + by;
      if (next >= stages()) return;
      const int n = blocks_of(next), at = list_at(by);
      for (int b = t.lane(); b < n; b += 32) {
        t.template copy_async<1>(room.other, at + b, k.other + first_of(next) + b);
        if constexpr (transposed)
          t.template copy_async<1>(room.number, at + b, k.number + first_of(next) + b);
      }
    }

    // Its lists have come.
    NZ_DEVICE void copy_stage(int by) const {
      const int next = stage + by;
      if (next >= stages()) return;
      const int n = blocks_of(next), to = values_at(by), size = k.shape.size();
      constexpr int piece = S::piece;
      if constexpr (transposed) {
        const int pieces = k.shape.pieces(), list = list_at(by);
        NZ_UNROLL_BY(4)
        for (int q = t.lane(); q < n * pieces; q += 32) {
          const int b = k.shape.block_of_piece(q);
          const std::int64_t value = std::int64_t{room.number[list + b]} * size;
          t.template copy_async<piece>(room.values, to + q * piece,
                                       k.values + value / piece * piece + (q - b * pieces) * piece);
        }
      } else {
        const T* from = k.values + first_of(next) * size;
        NZ_UNROLL_BY(8)
        for (int q = t.lane() * piece; q < n * size; q += 32 * piece)
          t.template copy_async<piece>(room.values, to + q, from + q);
      }
      if constexpr (!Shape::fixed) copy_x(by);
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

    NZ_DEVICE void put(std::int64_t line, int output, T sum) const {
      const std::int64_t i = line * k.shape.outputs() + output;
      if (i < std::int64_t{k.out}) k.y[i] = combine(k.alpha, sum, k.beta, k.y + i);
    }

    NZ_DEVICE void all() {
      Sums sums{*this};
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

  // The sums of the share, and where they go.
  struct Sums {
    Walk& walk;
    const BsrStream& k = walk.k;
    Thread& t = walk.t;
    Room& room = walk.room;
    int line = walk.share.line;
    bool head = walk.share.head_parts > 0;  // still in the line that began in another share
    bool spread = false;                    // the lanes have sums of the open line
    static constexpr int own = S{}.whole_blocks() ? S{}.outputs() : 1;
    T sum[own] = {};
    static constexpr int words = ((Shape::fixed ? S{}.stage() : S::most_stage) + 31) / 32;
    unsigned ends_next[words] = {};

    NZ_DEVICE void add(int stage) {
      const int n = walk.blocks_of(stage), ends = note_ends(stage, n);
      if constexpr (S{}.whole_blocks())
        add_whole_blocks(n, ends);
      else
        add_outputs(n, ends);
      if (ends == 0) {
        spread = true;
        return;
      }
      if (spread) gather();
      t.sync_warp();
      add_lines(n, ends);
      line += ends;
      head = false;
    }

    // The ends of a stage's lines are on their way while the stage before it is added.
    NZ_DEVICE void read_ends(int stage) {
      const int n = walk.blocks_of(stage);
      NZ_UNROLL
      for (int i = 0; i < words; ++i)
        if (32 * i < n) {
          const std::int64_t block = walk.first_of(stage) + 32 * i;
          ends_next[i] = k.shape.whole_words() ? t.load(k.shares.ends + (block >> 5))
                                               : k.shares.ends_from(t, block);
        }
    }
    // Where lines end, in order; how many do.
    NZ_DEVICE int note_ends(int stage, int n) {
      int count = 0;
      NZ_UNROLL
      for (int i = 0; i < words; ++i) {
        if (32 * i >= n) break;
        unsigned bits = ends_next[i];
        if (n - 32 * i < 32) bits &= (1u << (n - 32 * i)) - 1;
        if (bits >> t.lane() & 1)
          room.end[walk.end_at(count + bit_count(bits & ((1u << t.lane()) - 1)))] =
              32 * i + t.lane() + 1;
        count += bit_count(bits);
      }
      if (stage + 1 < walk.stages()) read_ends(stage + 1);
      return count;
    }

    NZ_DEVICE void add_whole_blocks(int n, int ends) {
      constexpr int outputs = S{}.outputs(), inputs = S{}.inputs(), size = outputs * inputs;
      constexpr int by_output = transposed ? 1 : inputs, by_input = transposed ? outputs : 1;
      const int xs = walk.x_at(0);
      NZ_UNROLL
      for (int base = 0; base < S{}.stage(); base += 32) {
        const int b = base + t.lane();
        if (b >= n) continue;
        const int v = values_of(b);
        T with[inputs], part[outputs] = {};
        NZ_UNROLL
        for (int j = 0; j < inputs; ++j) with[j] = room.x[xs + b * inputs + j];
        if constexpr (size == S::piece) {
          const auto all = room.values.template pack<size>(v);
          NZ_UNROLL
          for (int i = 0; i < outputs; ++i) NZ_UNROLL
          for (int j = 0; j < inputs; ++j)
            part[i] += all.at[i * by_output + j * by_input] * with[j];
        } else {
          NZ_UNROLL
          for (int i = 0; i < outputs; ++i) NZ_UNROLL
          for (int j = 0; j < inputs; ++j)
            part[i] += room.values[v + i * by_output + j * by_input] * with[j];
        }
        NZ_UNROLL
        for (int i = 0; i < outputs; ++i) {
          if (ends == 0)
            sum[i] += part[i];
          else
            room.part[walk.part_at(b, i)] = part[i];
        }
      }
    }

    // Where the values of a block begin: not at a piece, where it was gathered by itself.
    NZ_DEVICE int values_of(int b) const {
      const int v = walk.values_at(0) + b * k.shape.room();
      if (!transposed || k.shape.size() % S::piece == 0) return v;
      return v + int(unsigned(int(room.number[walk.list_at(0) + b])) * unsigned(k.shape.size()) %
                     unsigned(S::piece));
    }

    NZ_DEVICE void add_outputs(int n, int ends) {
      const int outputs = k.shape.outputs(), at_once = 32 / outputs;
      const int mine = t.lane() / outputs, output = t.lane() - mine * outputs;
      if (mine >= at_once) return;
      NZ_UNROLL_BY(2)
      for (int b = mine; b < n; b += at_once) {
        const T part = product(b, output);
        if (ends == 0)
          sum[0] += part;
        else
          room.part[walk.part_at(b, output)] = part;
      }
    }

    // Of one output of a block.
    NZ_DEVICE T product(int b, int output) const {
      const int inputs = k.shape.inputs();
      const int xs = walk.x_at(0) + b * inputs;
      T total = 0;
      if constexpr (transposed) {
        const int cols = k.shape.cols;
        const int v = values_of(b) + output;
        NZ_UNROLL_BY(8)
        for (int r = 0; r < inputs; ++r) total += room.values[v + r * cols] * room.x[xs + r];
      } else {
        constexpr int known = S{}.inputs();  // 0: not known
        const int v = walk.values_at(0) + (b * k.shape.outputs() + output) * inputs;
        if constexpr (known > 0 && known % S::piece == 0) {
          // Lanes begin at different pieces of their rows, so that they do not meet in a bank.
          constexpr int pieces = known / S::piece;
          const int turn = pieces < 8 ? t.lane() * pieces / 8 : t.lane();
          NZ_UNROLL
          for (int p = 0; p < pieces; ++p)
            total += dot<S::piece>(v, xs, (p + turn) % pieces * S::piece);
        } else if constexpr (known > 0 && known % 2 == 0) {
          NZ_UNROLL
          for (int c = 0; c < known; c += 2) total += dot<2>(v, xs, c);
        } else {
          // From a different column in each lane, for the same reason.
          int c = Shape::fixed ? 0 : t.lane() - k.shape.block_of_input(t.lane()) * inputs;
          NZ_UNROLL_BY(8)
          for (int j = 0; j < inputs; ++j) {
            total += room.values[v + c] * room.x[xs + c];
            ++c;
            if (!Shape::fixed && c == inputs) c = 0;
          }
        }
      }
      return total;
    }
    template <int n>
    NZ_DEVICE T dot(int v, int xs, int c) const {
      const auto a = room.values.template pack<n>(v + c);
      const auto with = room.x.template pack<n>(xs + c);
      T total = 0;
      NZ_UNROLL
      for (int e = 0; e < n; ++e) total += a.at[e] * with.at[e];
      return total;
    }

    // The lanes' own sums become the carry.
    NZ_DEVICE void gather() {
      if constexpr (S{}.whole_blocks()) {
        NZ_UNROLL
        for (int r = 0; r < own; ++r) {
          const T all = sum_down(t, sum[r]);
          if (t.lane() == 0) room.carry[walk.carry_at(r)] += all;
          sum[r] = 0;
        }
      } else {
        const int outputs = k.shape.outputs(), at_once = 32 / outputs;
        T all = sum[0];
        for (int b = 1; b < at_once; ++b) {
          const T other = t.shuffle_down(sum[0], b * outputs);
          if (t.lane() < outputs) all += other;
        }
        if (t.lane() < outputs) room.carry[walk.carry_at(t.lane())] += all;
        sum[0] = 0;
      }
      spread = false;
    }

    // All lines of the stage, the open one at its end included.
    NZ_DEVICE void add_lines(int n, int ends) const {
      const int outputs = k.shape.outputs(), units = (ends + 1) * outputs;
      int doublings = 0;  // a power of 2 of lanes for each
      while (doublings < 3 && units << (doublings + 1) <= 32) ++doublings;
      const int lanes = 1 << doublings, lane = t.lane() & (lanes - 1);
      NZ_ROLLED
      for (int base = 0; base < units; base += 32 >> doublings) {
        const int u = base + (t.lane() >> doublings), i = u / outputs, output = u - i * outputs;
        T total = 0;
        if (u < units) {
          const int begin = i == 0 ? 0 : int(room.end[walk.end_at(i - 1)]);
          const int end = i < ends ? int(room.end[walk.end_at(i)]) : n;
          if (i == 0 && lane == 0) total = room.carry[walk.carry_at(output)];
          NZ_UNROLL_BY(4)
          for (int b = begin + lane; b < end; b += lanes)
            total += room.part[walk.part_at(b, output)];
        }
        total = sum_down(t, total, lanes);
        t.sync_warp();
        if (u >= units || lane != 0) continue;
        if (i == ends)
          room.carry[walk.carry_at(output)] = total;
        else if (i == 0 && head)
          k.shares.partial[(2 * std::int64_t{walk.w}) * outputs + output] = total;
        else
          walk.put(k.shares.line(t, line + i), output, total);
      }
    }

    // What is shared with other warps.
    NZ_DEVICE void finish() {
      const Share& share = walk.share;
      if (share.head_parts == 0 && share.tail_parts == 0) return;
      if (spread) gather();
      t.sync_warp();
      const int outputs = k.shape.outputs();
      if (head || share.tail_parts > 0)
        for (int r = t.lane(); r < outputs; r += 32)
          k.shares.partial[(2 * std::int64_t{walk.w} + (head ? 0 : 1)) * outputs + r] =
              room.carry[walk.carry_at(r)];
      t.fence();
      t.sync_warp();
      if (share.head_parts > 0) arrive(share.head_first, share.head_parts, share.line);
      if (share.tail_parts > 0) arrive(walk.w, share.tail_parts, line);
    }

    // The last of a line's parts to come adds all in their order, so the sum is always the same.
    NZ_DEVICE void arrive(int first, int parts, int its_line) const {
      unsigned came = 0;
      if (t.lane() == 0) came = t.atomic_add(k.shares.arrived + first, 1u);
      if (t.shuffle(came, 0) + 1 != static_cast<unsigned>(parts)) return;
      t.sync_warp();  // what lane 0 has seen, all lanes see
      t.fence();
      const int outputs = k.shape.outputs();
      for (int r = t.lane(); r < outputs; r += 32) {
        T total = t.load_coherent(k.shares.partial + (2 * std::int64_t{first} + 1) * outputs + r);
        for (int p = 1; p < parts; ++p)
          total += t.load_coherent(k.shares.partial + 2 * std::int64_t{first + p} * outputs + r);
        walk.put(k.shares.line(t, its_line), r, total);
      }
      if (t.lane() == 0) k.shares.arrived[first] = 0;  // for the next product
    }
  };
};

}  // namespace nz::NZ_HOME
