#pragma once
#include <cstdint>

#include "simt/launch_sizes.hpp"
#include "solve/sweep.hpp"
#include "simt/warp.hpp"

// What the threads of a grid do to the elements of one sweep. Every thread takes packs of W
// elements, a grid apart: the same ones in all sweeps of the same grid.
namespace nz::NZ_HOME {

// Which packs are a thread's: `rounds`, and one more for the first `rest` threads of the grid.
struct Packs {
  std::int64_t rounds = 0, rest = 0;
  static Packs of(std::int64_t n, int width, const Launch& how) {
    const std::int64_t packs = n / width, threads = std::int64_t{how.blocks} * how.threads;
    return {packs / threads, packs % threads};
  }
};

// What the compiler may expect of updates and sums, so that the rest takes no registers. Plain:
// every update is y = a x + b y, none reads what another one makes, and the n-th sum is of what the
// first and the n-th update make. Sharing: the second update also changes the x of the first one.
enum class Kind { any, plain, sharing };

template <class T>
bool is_of(Kind kind, const Sweep<T>& s) {
  if (kind == Kind::any) return true;
  for (int u = 0; u < s.updates; ++u) {
    const VectorUpdate<T>& w = s.update[u];
    if (!w.x || w.d || w.b.factor == 0 || w.c.factor != 0 || w.measured) return false;
    for (int v = 0; v < u; ++v)
      if (s.update[v].y == w.x || s.update[v].y == w.y) return false;
  }
  for (int n = 0; n < s.sums && s.updates > 0; ++n)
    if (n >= s.updates || s.sum[n].u != s.update[0].y || s.sum[n].v != s.update[n].y) return false;
  return kind == Kind::plain || s.update[1].y == s.update[0].x;
}

// U and S are the numbers of updates and of sums where `exact`, and the most that there may be
// otherwise.
template <class T, int U, int S, bool exact, Kind kind = Kind::any>
struct SweepWork {
  static constexpr int most_sums = S;
  static constexpr bool plain = kind != Kind::any;
  const Sweep<T>& s;

  NZ_DEVICE bool updates(int u) const { return exact || u < s.updates; }
  NZ_DEVICE bool sums_up(int k) const { return exact || k < s.sums; }

  struct Factors {
    T a[U + 1], b[U + 1], c[U + 1];
  };
  template <class Scalars>
  NZ_DEVICE Factors factors(const Scalars& scalars) const {
    const auto value_of = [&](const Coefficient& c) {
      return static_cast<T>(c.slot < 0 ? c.factor : c.factor * scalars[c.slot]);
    };
    Factors f{};
    NZ_UNROLL
    for (int u = 0; u < U; ++u) {
      if (!updates(u)) continue;
      f.a[u] = value_of(s.update[u].a);
      f.b[u] = value_of(s.update[u].b);
      f.c[u] = value_of(s.update[u].c);
    }
    return f;
  }

  // K packs of `width` elements: i, i + step, ...
  template <int width, int K>
  struct Some {
    Pack<T, width> at[K];
    NZ_DEVICE void read(Thread& t, const T* from, std::int64_t i, std::int64_t step, bool once) {
      const auto* packs = reinterpret_cast<const Pack<T, width>*>(from) + i;
      NZ_UNROLL
      for (int k = 0; k < K; ++k)
        at[k] = once ? t.load_streaming(packs + k * step) : packs[k * step];
    }
    NZ_DEVICE void write(Thread& t, T* to, std::int64_t i, std::int64_t step, bool once) const {
      auto* packs = reinterpret_cast<Pack<T, width>*>(to) + i;
      NZ_UNROLL
      for (int k = 0; k < K; ++k)
        if (once)
          t.store_streaming(packs + k * step, at[k]);
        else
          packs[k * step] = at[k];
    }
  };

  // What updates need is read before anything is written: no load waits for another one.
  template <int width, int K>
  NZ_DEVICE void elements(Thread& t, std::int64_t i, std::int64_t step, const Factors& f,
                          double* sums) const {
    using Here = Some<width, K>;
    Here before[U + 1] = {}, x[U + 1] = {}, d[U + 1] = {}, made[U + 1] = {};
    // Whether an update before the u-th one makes it, and what.
    const auto is_made = [&](int u, const T* from) {
      bool found = false;
      NZ_UNROLL
      for (int v = 0; v < U; ++v) found |= !plain && v < u && updates(v) && s.update[v].y == from;
      return found;
    };
    const auto take_made = [&](int u, const T* from, Here& to) {
      NZ_UNROLL
      for (int v = 0; v < U; ++v)
        if (!plain && v < u && updates(v) && s.update[v].y == from) to = made[v];
    };
    NZ_UNROLL
    for (int u = 0; u < U; ++u) {
      if (!updates(u)) continue;
      const VectorUpdate<T>& w = s.update[u];
      if ((plain || w.x) && !is_made(u, w.x)) x[u].read(t, w.x, i, step, false);
      if (!plain && w.d && !is_made(u, w.d)) d[u].read(t, w.d, i, step, false);
      if ((plain || w.b.factor != 0 || w.measured) && !is_made(u, w.y)) {
        if (kind == Kind::sharing && u == 1)
          before[u] = x[0];
        else
          before[u].read(t, w.y, i, step, w.once);
      }
    }
    NZ_UNROLL
    for (int u = 0; u < U; ++u) {
      if (!updates(u)) continue;
      const VectorUpdate<T>& w = s.update[u];
      take_made(u, w.x, x[u]);
      take_made(u, w.d, d[u]);
      take_made(u, w.y, before[u]);
      NZ_UNROLL
      for (int k = 0; k < K; ++k) NZ_UNROLL
      for (int e = 0; e < width; ++e) {
        T term = plain || w.x ? f.a[u] * x[u].at[k].at[e] : f.a[u];
        if (!plain && w.d) term *= d[u].at[k].at[e];
        if (plain || w.b.factor != 0) term += f.b[u] * before[u].at[k].at[e];
        if (!plain) term += f.c[u];
        made[u].at[k].at[e] = term;
        if (S > 0 && !plain && w.measured) {
          const double change =
              static_cast<double>(term) - static_cast<double>(before[u].at[k].at[e]);
          sums[0] += change < 0 ? -change : change;
        }
      }
      made[u].write(t, w.y, i, step, w.once);
    }
    NZ_UNROLL
    for (int n = 0; n < S; ++n) {
      if (!sums_up(n) || (!plain && !s.sum[n].u)) continue;
      const bool product = (plain && U > 0) || s.sum[n].v != nullptr;
      Here left{}, right{};
      if constexpr (plain && U > 0) {
        left = made[0];
        right = made[n < U ? n : 0];
      } else {
        const auto take = [&](Here& to, const T* from) {
          if (!is_made(U, from)) to.read(t, from, i, step, false);
          take_made(U, from, to);
        };
        take(left, s.sum[n].u);
        if (product) take(right, s.sum[n].v);
      }
      NZ_UNROLL
      for (int k = 0; k < K; ++k) NZ_UNROLL
      for (int e = 0; e < width; ++e) {
        const auto u = static_cast<double>(left.at[k].at[e]);
        sums[n] += product ? u * static_cast<double>(right.at[k].at[e]) : u;
      }
    }
  }

  // All of this thread's, K packs at a time. `backward`: those come first that the sweep before
  // this one, or the product, had last and the cache may still have.
  template <int W, int K, bool backward>
  NZ_DEVICE void all(Thread& t, const Packs& packs, const Factors& f, double* sums) const {
    const std::int64_t step = t.global_size(), first = t.global_index();
    const std::int64_t mine = packs.rounds + (first < packs.rest ? 1 : 0), grouped = mine / K * K;
    const auto singles = [&] {
      if constexpr (K > 1)
        for (std::int64_t j = grouped; j < mine; ++j)
          elements<W, 1>(t, first + j * step, step, f, sums);
    };
    if constexpr (backward) {
      singles();
      NZ_ROLLED
      for (std::int64_t j = grouped; j > 0; j -= K)
        elements<W, K>(t, first + (j - K) * step, step, f, sums);
    } else {
      NZ_ROLLED
      for (std::int64_t j = 0; j < grouped; j += K)
        elements<W, K>(t, first + j * step, step, f, sums);
      singles();
    }
    if (W > 1) {
      const std::int64_t i = s.n / W * W + first;
      if (i < s.n) elements<1, 1>(t, i, step, f, sums);
    }
  }

  // The block's sums, in its first thread. Room for as many numbers as it has warps, for each sum.
  NZ_DEVICE void add_up(Thread& t, double* sums, const SharedArray<double>& room) const {
    const int warps = t.warps();
    NZ_UNROLL
    for (int k = 0; k < S; ++k) {
      if (!sums_up(k)) continue;
      sums[k] = reduce_to_first_lane(t, sums[k]);
      if (t.lane() == 0) room[k * warps + t.warp()] = sums[k];
    }
    t.sync();
    if (t.warp() == 0) {
      NZ_UNROLL
      for (int k = 0; k < S; ++k) {
        if (!sums_up(k)) continue;
        sums[k] =
            reduce_to_first_lane(t, t.lane() < warps ? double(room[k * warps + t.lane()]) : 0.0);
      }
    }
    t.sync();
  }
};

template <class T>
bool aligned(const Sweep<T>& s) {
  std::uintptr_t all = 0;
  const auto add = [&](const T* p) { all |= reinterpret_cast<std::uintptr_t>(p); };
  for (int u = 0; u < s.updates; ++u) {
    add(s.update[u].y);
    add(s.update[u].x);
    add(s.update[u].d);
  }
  for (int k = 0; k < s.sums; ++k) {
    add(s.sum[k].u);
    add(s.sum[k].v);
  }
  return all % 16 == 0;
}

}  // namespace nz::NZ_HOME
