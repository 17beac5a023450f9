#pragma once
#include <cstdint>

#include "kernels/gpu/gpu_product.hpp"
#include "simt/warp.hpp"
#include "kernels/gpu/parts/meeting.hpp"

namespace nz::NZ_HOME {

// The sums of a share of bsr/stream.hpp, and where they go. Within a line nothing needs to be put
// together until it ends: each lane has its own sum. In a stage with ends of lines the sums of its
// blocks go to shared memory, and as many lanes as there are add up each line. What is open at the
// end of the stage is carried on.
template <class Walk>
struct ShareSums {
  using Stream = typename Walk::Stream;
  using S = typename Stream::S;
  using Shape = typename Stream::BlockShapeOf;
  using T = typename Stream::Value;
  static constexpr bool transposed = Stream::by_columns;
  Walk& walk;
  const Stream& k = walk.k;
  Thread& t = walk.t;
  typename Stream::Room& room = walk.room;
  int line = walk.share.line;
  bool head = walk.share.head_parts > 0;  // still in the line that began in another share
  bool spread = false;                    // the lanes have sums of the open line
  static constexpr int own = S{}.whole_blocks() ? S{}.outputs() : 1;
  T sum[own] = {};
  static constexpr int words = ((Shape::fixed ? S{}.stage() : S::most_stage) + 31) / 32;
  unsigned ends_next[words] = {};

  NZ_DEVICE void add(int stage) {
    const int n = walk.blocks_of(stage);
    int ends;
    if constexpr (S{}.whole_blocks()) {
      if (n == k.shape.stage()) {
        ends = note_ends<true>(stage, n);
        add_whole_blocks<true>(n, ends);
      } else {
        ends = note_ends<false>(stage, n);
        add_whole_blocks<false>(n, ends);
      }
    } else {
      ends = note_ends<false>(stage, n);
      add_outputs(n, ends);
    }
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
  template <bool full>
  NZ_DEVICE int note_ends(int stage, int n) {
    int count = 0;
    NZ_UNROLL
    for (int i = 0; i < words; ++i) {
      if (!full && 32 * i >= n) break;
      unsigned bits = ends_next[i];
      if (!full && n - 32 * i < 32) bits &= (1u << (n - 32 * i)) - 1;
      if (bits >> t.lane() & 1)
        room.end[walk.end_at(count + bit_count(bits & ((1u << t.lane()) - 1)))] =
            32 * i + t.lane() + 1;
      count += bit_count(bits);
    }
    if (stage + 1 < walk.stages()) read_ends(stage + 1);
    return count;
  }

  template <bool full>
  NZ_DEVICE void add_whole_blocks(int n, int ends) {
    constexpr int outputs = S{}.outputs(), inputs = S{}.inputs(), size = outputs * inputs;
    constexpr int by_output = transposed ? 1 : inputs, by_input = transposed ? outputs : 1;
    const int xs = walk.x_at(0);
    NZ_UNROLL
    for (int base = 0; base < S{}.stage(); base += 32) {
      const int b = base + t.lane();
      if (!full && b >= n) continue;
      const int v = values_of(b);
      T with[inputs], part[outputs] = {};
      NZ_UNROLL
      for (int j = 0; j < inputs; ++j) with[j] = room.x[xs + b * inputs + j];
      if constexpr (size == S::piece) {
        const auto all = room.values.template pack<size>(v);
        NZ_UNROLL
        for (int i = 0; i < outputs; ++i) NZ_UNROLL
        for (int j = 0; j < inputs; ++j) part[i] += all.at[i * by_output + j * by_input] * with[j];
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
        const T all = reduce_to_first_lane(t, sum[r]);
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

  // All lines of the stage, the open one at its end included: a power of 2 of lanes for each
  // output of each, most often one.
  NZ_DEVICE void add_lines(int n, int ends) const {
    const int units = (ends + 1) * k.shape.outputs();
    if (2 * units > 32)
      add_lines<true>(n, ends, 0);
    else
      add_lines<false>(n, ends, 4 * units > 32 ? 1 : 8 * units > 32 ? 2 : 3);
  }
  template <bool alone>
  NZ_DEVICE void add_lines(int n, int ends, int doublings) const {
    const int outputs = k.shape.outputs(), units = (ends + 1) * outputs;
    const int lanes = alone ? 1 : 1 << doublings, lane = t.lane() & (lanes - 1);
    NZ_ROLLED
    for (int base = 0; base < units; base += 32 >> doublings) {
      const int u = base + (t.lane() >> doublings), i = u / outputs, output = u - i * outputs;
      T total = 0;
      if (u < units) {
        const int begin = i == 0 ? 0 : int(room.end[walk.end_at(i - 1)]);
        const int end = i < ends ? int(room.end[walk.end_at(i)]) : n;
        if (i == 0 && lane == 0) total = room.carry[walk.carry_at(output)];
        NZ_UNROLL_BY(4)
        for (int b = begin + lane; b < end; b += lanes) total += room.part[walk.part_at(b, output)];
      }
      if constexpr (!alone) total = reduce_to_first_lane(t, total, lanes);
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
    Meeting::publish_lanes(t);
    if (share.head_parts > 0) arrive(share.head_first, share.head_parts, share.line);
    if (share.tail_parts > 0) arrive(walk.w, share.tail_parts, line);
  }

  // The last of a line's parts to come adds all in their order, so the sum is always the same.
  NZ_DEVICE void arrive(int first, int parts, int its_line) const {
    const Meeting meeting{k.shares.arrived + first, parts};
    if (!meeting.last_warp(t)) return;
    const int outputs = k.shape.outputs();
    for (int r = t.lane(); r < outputs; r += 32) {
      T total = t.load_coherent(k.shares.partial + (2 * std::int64_t{first} + 1) * outputs + r);
      for (int p = 1; p < parts; ++p)
        total += t.load_coherent(k.shares.partial + 2 * std::int64_t{first + p} * outputs + r);
      walk.put(k.shares.line(t, its_line), r, total);
    }
    if (t.lane() == 0) meeting.reset();
  }
};

}  // namespace nz::NZ_HOME
