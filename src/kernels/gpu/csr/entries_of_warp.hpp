#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/gpu/csr/several_in_place.hpp"
#include "kernels/gpu/several/lanes.hpp"
#include "kernels/gpu/several/pieces.hpp"

// What products of several vectors in place (several_in_place.hpp) have in common: entries that a
// warp has at hand, and the pieces of rows that are too long for one.
namespace nz::NZ_HOME {

// Pack p of a row of Y, which begins at `row`: as SeveralOutput::put(), but with fewer registers,
// which these kernels would spill.
template <class T, int pack>
NZ_DEVICE void put_pack(const SeveralOutput<T>& out, T* row, int p, const T (&sum)[pack]) {
  if (out.whole == pack) {
    auto* const to = reinterpret_cast<Pack<T, pack>*>(row) + p;
    Pack<T, pack> all;
    NZ_UNROLL
    for (int q = 0; q < pack; ++q) all.at[q] = out.alpha * sum[q];
    if (out.beta != T(0)) {
      const Pack<T, pack> before = *to;
      NZ_UNROLL
      for (int q = 0; q < pack; ++q) all.at[q] += out.beta * before.at[q];
    }
    *to = all;
    return;
  }
  T* const to = row + p * pack;
  const int left = out.y.columns - p * pack;
  NZ_UNROLL
  for (int q = 0; q < pack; ++q)
    if (q < left) to[q] = combine(out.alpha, sum[q], out.beta, to + q);
}

// Adds up over the groups of a warp, `lanes` lanes each, for the first of them. Where those are no
// power of 2 the last lanes of the warp are in no group.
template <int lanes, int pack, class T>
NZ_DEVICE void add_groups_of_warp(Thread& t, T (&sum)[pack]) {
  constexpr int groups = 32 / lanes;
  if constexpr (groups * lanes == 32) {
    add_groups(t, lanes, groups, sum);
  } else {
    T all[pack];
    NZ_UNROLL
    for (int q = 0; q < pack; ++q) all[q] = sum[q];
    NZ_UNROLL
    for (int g = 1; g < groups; ++g) {
      NZ_UNROLL
      for (int q = 0; q < pack; ++q) all[q] += t.shuffle(sum[q], (t.lane() + g * lanes) % 32);
    }
    NZ_UNROLL
    for (int q = 0; q < pack; ++q) sum[q] = all[q];
  }
}

// Entries of one row that the lanes of a warp have read, 32 a register, for groups of lanes that
// take every `parts`-th of them.
template <class T, int lanes>
struct EntriesOfWarp {
  static constexpr int pack = wide_pack<T>, parts = 32 / lanes;
  // Rows of X that a group has on their way: more of them leave room for fewer warps.
  static constexpr int ahead = lanes <= 8 ? 4 : 8;
  static constexpr int held = ahead * parts > 32 ? ahead* parts / 32 : 1;
  static constexpr int count = 32 * held;

  index_t column[held];
  T value[held];

  // Those from `base` on of n.
  NZ_DEVICE void read(Thread& t, const index_t* columns, const T* values, int base, int n) {
    NZ_UNROLL
    for (int h = 0; h < held; ++h) {
      column[h] = 0;
      value[h] = 0;
      if (n == 0) continue;
      const int e = base + 32 * h + t.lane() < n ? base + 32 * h + t.lane() : n - 1;
      column[h] = t.load(columns + e);
      value[h] = t.load(values + e);
    }
  }

  // sum += the first n of them, times pack p of X.
  NZ_DEVICE void add(Thread& t, const RowsOfX<T, pack>& x, int p, int n, T (&sum)[pack]) const {
    const int steps = (n + parts - 1) / parts;
    int k = 0;
    NZ_ROLLED
    for (; steps - k > ahead / 2; k += ahead) add_batch<ahead>(t, x, p, n, k, sum);
    if (k < steps) add_batch<ahead / 2>(t, x, p, n, k, sum);
  }

 private:
  template <int batch>
  NZ_DEVICE void add_batch(Thread& t, const RowsOfX<T, pack>& x, int p, int n, int k,
                           T (&sum)[pack]) const {
    const int part = t.lane() / lanes;
    // More than one register is used up by one batch, so that which one is known here.
    const auto of = [&](const auto& all, int j) {
      return held == 1 ? t.shuffle(all[0], ((k + j) * parts + part) % 32)
                       : t.shuffle(all[j * parts / 32], j * parts % 32 + part);
    };
    Pack<T, pack> its[batch];
    NZ_UNROLL
    for (int j = 0; j < batch; ++j) its[j] = x.load(t, of(column, j), p);
    NZ_UNROLL
    for (int j = 0; j < batch; ++j) {
      const T v = of(value, j);
      if ((k + j) * parts + part < n) {
        NZ_UNROLL
        for (int q = 0; q < pack; ++q) sum[q] += v * its[j].at[q];
      }
    }
  }
};

// Rows that are too long for a warp: the first blocks take their pieces, each the work of a warp
// or, where they are few, of all warps of a block.
template <class T, class O, int lanes>
struct PiecesInPlace {
  using Entries = EntriesOfWarp<T, lanes>;
  static constexpr int pack = Entries::pack;
  const Piece* list;
  int count;
  SeveralPieces<T> all;
  int most;  // entries of the longest row that is not in pieces

  std::size_t shared_bytes(int threads) const {
    if (count == 0) return 0;
    return static_cast<std::size_t>(meeting_room<pack>(threads)) * sizeof(T);
  }
  NZ_HOST_DEVICE int blocks() const { return all.blocks; }

  NZ_DEVICE void add(Thread& t, const CsrView<T, O>& a, const RowsOfX<T, pack>& x,
                     const SeveralOutput<T>& out) const {
    const SharedArray<T> meeting = t.shared<T>(meeting_room<pack>(t.block_size()));
    const int which = all.mine(t, count);
    if (which < 0) return;
    const Piece piece = list[which];
    const int of = all.by_block ? t.warps() : 1, mine = all.by_block ? t.warp() : 0;
    const int begin = static_cast<int>(std::int64_t{piece.entries} * mine / of);
    const int n = static_cast<int>(std::int64_t{piece.entries} * (mine + 1) / of) - begin;
    const index_t* const columns = a.columns + piece.entry + begin;
    const T* const values = a.values + piece.entry + begin;
    const bool first_group = t.lane() < lanes;
    NZ_ROLLED
    for (int first = 0; first < x.packs; first += lanes) {
      const int p = first + t.lane() % lanes;
      T sum[pack] = {};
      Entries now, next;
      now.read(t, columns, values, 0, n);
      NZ_ROLLED
      for (int base = 0; base < n; base += Entries::count) {
        next.read(t, columns, values, base + Entries::count, n);
        now.add(t, x, p < x.packs ? p : 0, n - base < Entries::count ? n - base : Entries::count,
                sum);
        now = next;
      }
      add_groups_of_warp<lanes>(t, sum);
      if (all.by_block) {
        add_warps(t, lanes, sum, meeting);
        if (first + lanes < x.packs) t.sync();
      }
      if (p < x.packs && first_group && (!all.by_block || t.warp() == 0))
        all.put(piece, which, p * pack, sum, out);
    }
    all.finish(t, piece, out);
  }
};

template <class T, class O, int lanes>
PiecesInPlace<T, O, lanes> pieces_in_place(const LongRows<T>& rows, int most, int threads,
                                           const simt::Scratch& scratch) {
  return {rows.list(), rows.pieces(), several_pieces(rows, threads, scratch), most};
}

// How many rows go to the same lanes one after the other: no more than `wanted`, and not so many
// that lanes go without.
inline int rows_each(std::int64_t rows, double wanted, int lanes) {
  const double threads = simt::backend(current_device()).info().processors * 4096.0;
  const double enough = static_cast<double>(rows) * lanes / threads;
  return static_cast<int>(std::clamp(std::min(wanted, enough), 1.0, 30.0));
}

}  // namespace nz::NZ_HOME
