#pragma once
#include <cstdint>

#include "kernels/gpu/bsr_line_tasks.hpp"
#include "kernels/gpu/bsr_shape.hpp"
#include "simt/warp.hpp"

// For lines of many blocks. A warp reads groups of blocks that are whole pieces of 16 bytes, each
// lane the same places of all groups, into registers: nothing moves through shared memory, and
// nothing is put together before the end. With short lines that end would cost more than the rest;
// those are bsr_stream.hpp's.
namespace nz::NZ_HOME {

template <class T, int R, int C>
struct BsrLong {
  static constexpr const char* name = "gpu/bsr/balanced, long lines";
  static constexpr int max_threads = 128;
  static constexpr int piece = 16 / int(sizeof(T)), size = R * C;
  static constexpr int group = block_grain(size, piece);  // blocks
  static constexpr int pieces = group * size / piece;     // of a group
  static constexpr int at_once = pieces < 32 ? 32 / pieces : 1;
  static constexpr int slots = (pieces + 31) / 32;         // pieces of a group that a lane has
  static constexpr int sums = C % piece == 0 ? 1 : piece;  // of a piece that are kept apart
  static constexpr int ahead = slots > 4 ? 1 : 4 / slots;

  LineTaskView<T> tasks;
  const T* values;
  const index_t* columns;
  std::int64_t cols, rows;  // of the matrix
  T alpha;
  const T* x;
  T beta;
  T* y;

  NZ_DEVICE void operator()(Thread& t) const {
    const int w = t.block() * t.warps() + t.warp();
    if (w >= tasks.count) return;
    const LineTask task = tasks.list[w];
    T sum[slots][sums] = {};
    add(t, task, sum);
    finish(t, task, w, sum);
  }

 private:
  // The place of a lane's piece in a group: p is a piece, e a value of it.
  NZ_DEVICE int piece_of(Thread& t, int slot) const {
    return pieces < 32 ? t.lane() % pieces : t.lane() + 32 * slot;
  }
  NZ_DEVICE bool takes(Thread& t, int slot) const {
    return pieces < 32 ? t.lane() < at_once * pieces : piece_of(t, slot) < pieces;
  }

  NZ_DEVICE void add(Thread& t, const LineTask& task, T (&sum)[slots][sums]) const {
    const std::int64_t end = task.first + task.blocks;
    const int mine = pieces < 32 ? t.lane() / pieces : 0;
    constexpr int step = group * at_once;
    std::int64_t k = task.first / group * group + mine * group;
    const auto guarded = [&] {
      NZ_UNROLL
      for (int s = 0; s < slots; ++s)
        if (takes(t, s)) add_piece<true>(t, k, s, task.first, end, sum[s]);
    };
    if (k < task.first && k < end) {
      guarded();
      k += step;
    }
    NZ_ROLLED
    for (; k + (ahead - 1) * step + group <= end; k += ahead * step) {
      Pack<T, piece> v[ahead][slots];
      NZ_UNROLL
      for (int a = 0; a < ahead; ++a) NZ_UNROLL
      for (int s = 0; s < slots; ++s)
        if (takes(t, s)) v[a][s] = load(t, k + a * step, s);
      NZ_UNROLL
      for (int a = 0; a < ahead; ++a) NZ_UNROLL
      for (int s = 0; s < slots; ++s)
        if (takes(t, s)) multiply<false>(t, k + a * step, s, 0, 0, v[a][s], sum[s]);
    }
    NZ_ROLLED
    for (; k < end; k += step) guarded();
  }

  NZ_DEVICE Pack<T, piece> load(Thread& t, std::int64_t k, int slot) const {
    return t.load_streaming(
        reinterpret_cast<const Pack<T, piece>*>(values + k * size + piece_of(t, slot) * piece));
  }
  template <bool guard>
  NZ_DEVICE void add_piece(Thread& t, std::int64_t k, int slot, std::int64_t begin,
                           std::int64_t end, T (&sum)[sums]) const {
    multiply<guard>(t, k, slot, begin, end, load(t, k, slot), sum);
  }
  // Some values of a group may be of other lines.
  template <bool guard>
  NZ_DEVICE void multiply(Thread& t, std::int64_t k, int slot, std::int64_t begin, std::int64_t end,
                          const Pack<T, piece>& v, T (&sum)[sums]) const {
    const int e = piece_of(t, slot) * piece;
    const int first = e / size, last = (e + piece - 1) / size;  // blocks
    const auto inside = [&](int b) { return !guard || (k + b >= begin && k + b < end); };
    std::int64_t left = 0, right = 0;
    if (inside(first)) left = std::int64_t{t.load(columns + k + first)} * C;
    if (last != first && inside(last)) right = std::int64_t{t.load(columns + k + last)} * C;
    NZ_UNROLL
    for (int i = 0; i < piece; ++i) {
      const int b = (e + i) / size;
      const std::int64_t j = (b == first ? left : right) + (e + i) % C;
      if (inside(b) && j < cols) sum[i % sums] += v.at[i] * t.load(x + j);
    }
  }

  NZ_DEVICE void finish(Thread& t, const LineTask& task, int w, const T (&sum)[slots][sums]) const {
    T all[R];
    NZ_UNROLL
    for (int r = 0; r < R; ++r) {
      T mine = 0;
      NZ_UNROLL
      for (int s = 0; s < slots; ++s) NZ_UNROLL
      for (int i = 0; i < sums; ++i)
        if (takes(t, s) && (piece_of(t, s) * piece + i) % size / C == r) mine += sum[s][i];
      all[r] = sum_down(t, mine);
    }
    tasks.finish(
        t, w, R,
        [&](auto&& f) {
          if (t.lane() != 0) return;
          NZ_UNROLL
          for (int r = 0; r < R; ++r) f(r, all[r]);
        },
        [&](int r, T total) {
          const std::int64_t i = std::int64_t{task.line} * R + r;
          if (i < rows) y[i] = combine(alpha, total, beta, y + i);
        });
  }
};

}  // namespace nz::NZ_HOME
