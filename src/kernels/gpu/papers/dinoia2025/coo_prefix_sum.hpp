#pragma once
#include <bit>
#include <string_view>

#include "kernels/gpu/papers/dinoia2025/coo_form.hpp"
#include "simt/warp.hpp"

// What the prefix sums of dinoia2025 share. The entries are cut into chunks of 32 or 1024; sums run
// over a chunk, and what a row has in it is added to y. The pseudo-code halves s,
// which begins at 1, and updates sum[el + s] in place, which races; here s doubles and a thread
// updates its own.
namespace nz::NZ_HOME {

// Algorithm 5: the sum up to entry k is added to its row where the row ends in the chunk, and taken
// from the next row, whose own sum will contain it. next < 0: the chunk ends here.
template <class To, class T>
NZ_DEVICE void add_difference(const To& to, Thread& t, index_t row, index_t next, T sum) {
  if (row == next) return;
  to.add(t, row, sum);
  if (next >= 0) to.add(t, next, -sum);
}

// Algorithm 6: sums begin anew with every row, so the last one of a row is its own.
template <class To, class T>
NZ_DEVICE void add_last(const To& to, Thread& t, index_t row, index_t next, T sum) {
  if (row != next) to.add(t, row, sum);
}

template <bool equals, class To, class T>
NZ_DEVICE void add_row(const To& to, Thread& t, index_t row, index_t next, T sum) {
  if constexpr (equals)
    add_last(to, t, row, next, sum);
  else
    add_difference(to, t, row, next, sum);
}

// One step of algorithm 7: what the lane `by` before has, if it counts for this one.
template <bool equals, class T>
NZ_DEVICE T scan_step(Thread& t, T v, index_t row, int by) {
  const T before = t.shuffle_up(v, by);
  bool adds = t.lane() >= by;
  if constexpr (equals) {
    const index_t its = t.shuffle_up(row, by);
    adds = adds && its == row;
  }
  return adds ? v + before : v;
}

// Sums over the warp, of all lanes up to each or of those of its row. The program's two forms
// differ in the word before the loop alone.
template <bool equals, bool unrolled = false, class T>
NZ_DEVICE T warp_scan(Thread& t, T v, index_t row) {
  if constexpr (unrolled) {
    NZ_UNROLL
    for (int by = 1; by < 32; by *= 2) v = scan_step<equals>(t, v, row, by);
  } else {
    for (int by = 1; by < 32; by *= 2) v = scan_step<equals>(t, v, row, by);
  }
  return v;
}

// One step of a warp (algorithm 7): scans its 32 entries and adds to y. Lanes without an entry come
// with row < 0.
template <bool equals, bool unrolled = false, class To, class T>
NZ_DEVICE void scan_and_add(const To& to, Thread& t, index_t row, T v) {
  v = warp_scan<equals, unrolled>(t, v, row);
  const index_t after = t.shuffle_down(row, 1);
  if (row >= 0) add_row<equals>(to, t, row, t.lane() == 31 ? -1 : after, v);
}

// Figure 7: warps scan 32 entries each, the first warp scans their sums, and every entry adds those
// of the warps before it. A block of up to 1024 threads is a chunk, which begins at `first`.
template <bool equals, class To, class Sums, class Rows>
NZ_DEVICE void block_scan(const To& to, Thread& t, const Sums& sums, const Rows& rows,
                          typename To::Count first) {
  using T = typename To::Value;
  const auto k = first + t.index();
  const bool mine = k < to.size();
  const index_t row = mine ? to.a.row[k] : -1;
  T v = warp_scan<equals>(t, mine ? to.product(k) : T(0), row);
  if (t.lane() == 31) {
    sums[t.warp()] = v;
    if (equals) rows[t.warp()] = row;
  }
  t.sync();
  if (t.warp() == 0) {
    const bool used = t.lane() < t.warps();
    // The warps' last rows: where two are the same, the second warp has no other row.
    const index_t last = equals && used ? index_t(rows[t.lane()]) : -1;
    const T sum = warp_scan<equals>(t, used ? T(sums[t.lane()]) : T(0), last);
    if (used) sums[t.lane()] = sum;
  }
  t.sync();
  if (!mine) return;
  if (t.warp() > 0 && (!equals || rows[t.warp() - 1] == row)) v += sums[t.warp() - 1];
  const bool end = t.index() == t.block_size() - 1 || k == to.size() - 1;
  add_row<equals>(to, t, row, end ? -1 : to.a.row[k + 1], v);
}

template <class T>
std::size_t block_scan_bytes() {
  return 32 * (sizeof(T) + sizeof(index_t));
}

template <class To, bool equals>
struct BlockScan : To {
  using T = typename To::Value;
  static constexpr const char* name =
      equals ? "gpu/coo/ps-1024-warp-equals" : "gpu/coo/ps-1024-warp";
  static constexpr int chunk = 1024;
  static std::size_t shared_bytes() { return block_scan_bytes<T>(); }

  NZ_DEVICE void operator()(Thread& t) const {
    const auto sums = t.shared<T>(32);
    const auto rows = t.shared<index_t>(32);
    block_scan<equals>(*this, t, sums, rows, index_as<typename To::Count>(t) - t.index());
  }
};

// Blocks of a chosen size that are chunks: a power of two, so that chunks of any size lie within
// those of the largest, over which the error of a row is bounded.
inline Parameter chunk_threads_parameter(int most, std::string_view text) {
  return {"threads", text, most, 32, most};
}
inline int chunk_threads(const Parameters& p) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(p.at("threads"))));
}

template <class T, class Kernel>
void launch_chunks(CUstream_st* stream, const CooView<T>& a, const Kernel& kernel) {
  const int threads = threads_for(a.nnz, Kernel::chunk);
  launch({.blocks = blocks_for(a.nnz, threads),
          .threads = threads,
          .shared_bytes = Kernel::shared_bytes(),
          .stream = stream},
         kernel);
}

}  // namespace nz::NZ_HOME
