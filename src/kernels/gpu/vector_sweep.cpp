#include "kernels/gpu/gpu_product.hpp"
#include "kernels/sweep.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

constexpr int warps = sweep_threads / 32;

// Every thread takes packs of W elements, a grid apart. Blocks leave their sums behind; the one
// that comes last adds them in their order and runs the steps. U and S are the numbers of updates
// and of sums where `exact`, and the most that there may be otherwise.
template <class T, int W, int U, int S, bool exact, bool summing>
struct RunSweep {
  static constexpr const char* name = "vector sweep";
  static constexpr int max_threads = sweep_threads;
  static constexpr int min_blocks = exact ? 4 : 2;  // on a multiprocessor
  static constexpr int most_sums = Sweep<T>::most_sums;
  // Packs of a thread at a time: loads that do not wait for each other.
  static constexpr int together = !exact ? 1 : U == 0 ? 4 : 2;
  Sweep<T> s;
  SweepRoom room;

  NZ_DEVICE T value_of(const Coefficient& c) const {
    return static_cast<T>(c.slot < 0 ? c.factor : c.factor * room.scalars[c.slot]);
  }
  NZ_DEVICE bool updates(int u) const { return exact || u < s.updates; }
  NZ_DEVICE bool sums_up(int k) const { return exact || k < s.sums; }

  // K packs of `width` elements: i, i + step, ...
  template <int width, int K>
  struct Some {
    Pack<T, width> at[K];
    NZ_DEVICE void read(const T* from, std::int64_t i, std::int64_t step) {
      NZ_UNROLL
      for (int k = 0; k < K; ++k)
        at[k] = reinterpret_cast<const Pack<T, width>*>(from)[i + k * step];
    }
    NZ_DEVICE void write(T* to, std::int64_t i, std::int64_t step) const {
      NZ_UNROLL
      for (int k = 0; k < K; ++k) reinterpret_cast<Pack<T, width>*>(to)[i + k * step] = at[k];
    }
  };

  struct Factors {
    T a[U + 1], b[U + 1], c[U + 1];
  };

  template <int width, int K>
  NZ_DEVICE void elements(std::int64_t i, std::int64_t step, const Factors& f, double* sums) const {
    Some<width, K> made[U + 1] = {};
    NZ_UNROLL
    for (int u = 0; u < U; ++u) {
      if (!updates(u)) continue;
      const VectorUpdate<T>& w = s.update[u];
      const bool adds = w.b.factor != 0;
      Some<width, K> before{}, x{}, d{};
      if (adds || w.measured) before.read(w.y, i, step);
      if (w.x) x.read(w.x, i, step);
      if (w.d) d.read(w.d, i, step);
      NZ_UNROLL
      for (int k = 0; k < K; ++k) NZ_UNROLL
      for (int e = 0; e < width; ++e) {
        T term = w.x ? f.a[u] * x.at[k].at[e] : f.a[u];
        if (w.d) term *= d.at[k].at[e];
        if (adds) term += f.b[u] * before.at[k].at[e];
        term += f.c[u];
        made[u].at[k].at[e] = term;
        if (summing && w.measured) {
          const double change = static_cast<double>(term) - static_cast<double>(before.at[k].at[e]);
          sums[0] += change < 0 ? -change : change;
        }
      }
      made[u].write(w.y, i, step);
    }
    if constexpr (summing) {
      // What an update has just made is at hand.
      const auto take = [&](Some<width, K>& v, const T* from) {
        bool found = false;
        NZ_UNROLL
        for (int u = 0; u < U; ++u)
          if (updates(u) && s.update[u].y == from) {
            v = made[u];
            found = true;
          }
        if (!found) v.read(from, i, step);
      };
      NZ_UNROLL
      for (int n = 0; n < S; ++n) {
        if (!sums_up(n) || !s.sum[n].u) continue;
        Some<width, K> u{}, v{};
        take(u, s.sum[n].u);
        const bool product = s.sum[n].v != nullptr;
        if (product) take(v, s.sum[n].v);
        NZ_UNROLL
        for (int k = 0; k < K; ++k) NZ_UNROLL
        for (int e = 0; e < width; ++e)
          sums[n] += product
                         ? static_cast<double>(u.at[k].at[e]) * static_cast<double>(v.at[k].at[e])
                         : static_cast<double>(u.at[k].at[e]);
      }
    }
  }

  // The block's sums, in thread 0.
  NZ_DEVICE void add_up(Thread& t, double* sums, const SharedArray<double>& shared) const {
    NZ_UNROLL
    for (int k = 0; k < S; ++k) {
      if (!sums_up(k)) continue;
      sums[k] = sum_down(t, sums[k]);
      if (t.lane() == 0) shared[k * warps + t.warp()] = sums[k];
    }
    t.sync();
    NZ_UNROLL
    for (int k = 0; k < S; ++k) {
      if (!sums_up(k) || t.index() != 0) continue;
      sums[k] = 0;
      for (int w = 0; w < t.warps(); ++w) sums[k] += shared[k * warps + w];
    }
    t.sync();
  }

  NZ_DEVICE void operator()(Thread& t) const {
    if (room.scalars[scalar_stopped] != 0) return;
    Factors f{};
    NZ_UNROLL
    for (int u = 0; u < U; ++u) {
      if (!updates(u)) continue;
      f.a[u] = value_of(s.update[u].a);
      f.b[u] = value_of(s.update[u].b);
      f.c[u] = value_of(s.update[u].c);
    }
    double sums[most_sums] = {};
    const std::int64_t packs = s.n / W, step = t.global_size();
    std::int64_t i = t.global_index();
    for (; i + (together - 1) * step < packs; i += together * step)
      elements<W, together>(i, step, f, sums);
    if constexpr (together > 1)
      for (; i < packs; i += step) elements<W, 1>(i, step, f, sums);
    if (W > 1 && packs * W + t.global_index() < s.n)
      elements<1, 1>(packs * W + t.global_index(), step, f, sums);
    if constexpr (summing) finish(t, sums);
  }

  NZ_DEVICE void finish(Thread& t, double* sums) const {
    const auto shared = t.shared<double>(most_sums * warps);
    const auto last = t.shared<int>(1);
    const auto scalars = t.shared<double>(room.size);
    add_up(t, sums, shared);
    if (t.index() == 0) {
      NZ_UNROLL
      for (int k = 0; k < S; ++k)
        if (sums_up(k)) room.parts[t.block() * most_sums + k] = sums[k];
      t.fence();
      const unsigned before = t.atomic_add(room.counter, 1u);
      last[0] = before + 1 == static_cast<unsigned>(t.grid_size());
    }
    t.sync();
    const int is_last = last[0];
    if (!is_last) return;
    t.fence();
    NZ_UNROLL
    for (int k = 0; k < S; ++k) {
      if (!sums_up(k)) continue;
      sums[k] = 0;
      for (int i = t.index(); i < t.grid_size(); i += t.block_size())
        sums[k] += t.load_coherent(room.parts + i * most_sums + k);
    }
    for (int i = t.index(); i < room.size; i += t.block_size()) scalars[i] = room.scalars[i];
    add_up(t, sums, shared);
    if (t.index() == 0) {
      NZ_UNROLL
      for (int k = 0; k < S; ++k)
        if (sums_up(k)) scalars[s.sum[k].slot] = sums[k];
      run_steps(s.step, s.steps, scalars, room.log);
      *room.counter = 0;
    }
    t.sync();
    for (int i = t.index(); i < room.size; i += t.block_size()) room.scalars[i] = scalars[i];
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

template <class T, int W, int U, int S, bool exact>
void launch_as(CUstream_st* stream, const Sweep<T>& s, const SweepRoom& room) {
  constexpr bool summing = !exact || S > 0;
  const std::int64_t needed = (s.n / W + sweep_threads) / sweep_threads;
  Launch how{.blocks = static_cast<int>(std::min<std::int64_t>(needed, room.blocks)),
             .threads = sweep_threads,
             .stream = stream};
  if (summing)
    how.shared_bytes =
        (Sweep<T>::most_sums * warps + 1 + static_cast<std::size_t>(room.size)) * sizeof(double);
  launch(how, RunSweep<T, W, U, S, exact, summing>{s, room});
}

// The shapes that CG, BiCG and PageRank are made of have kernels of their own.
template <class T>
void launch_sweep(CUstream_st* stream, const Sweep<T>& s, const SweepRoom& room) {
  constexpr int W = 16 / sizeof(T);
  constexpr int most_updates = Sweep<T>::most_updates, most_sums = Sweep<T>::most_sums;
  if (!aligned(s)) return launch_as<T, 1, most_updates, most_sums, false>(stream, s, room);
  switch (10 * s.updates + s.sums) {
    case 1:
      return launch_as<T, W, 0, 1, true>(stream, s, room);
    case 11:
      return launch_as<T, W, 1, 1, true>(stream, s, room);
    case 20:
      if (s.steps == 0) return launch_as<T, W, 2, 0, true>(stream, s, room);
      break;
    case 21:
      return launch_as<T, W, 2, 1, true>(stream, s, room);
    case 22:
      return launch_as<T, W, 2, 2, true>(stream, s, room);
    case 30:
      if (s.steps == 0) return launch_as<T, W, 3, 0, true>(stream, s, room);
      break;
  }
  launch_as<T, W, most_updates, most_sums, false>(stream, s, room);
}

}  // namespace

template <class T>
void queue_sweep(CUstream_st* stream, const Sweep<T>& s, const SweepRoom& room) {
  launch_sweep(stream, s, room);
}
template void queue_sweep(CUstream_st*, const Sweep<float>&, const SweepRoom&);
template void queue_sweep(CUstream_st*, const Sweep<double>&, const SweepRoom&);

}  // namespace nz::NZ_HOME
