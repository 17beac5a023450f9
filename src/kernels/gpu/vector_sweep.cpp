#include "kernels/gpu/gpu_product.hpp"
#include "kernels/sweep.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

constexpr int warps = sweep_threads / 32;

// Every thread takes packs of W elements, a grid apart. Blocks leave their sums behind; the one
// that comes last adds them in their order and runs the steps.
template <class T, int W, bool summing>
struct RunSweep {
  static constexpr const char* name = "vector sweep";
  static constexpr int max_threads = sweep_threads;
  static constexpr int most_updates = Sweep<T>::most_updates, most_sums = Sweep<T>::most_sums;
  Sweep<T> s;
  SweepRoom room;

  NZ_DEVICE T value_of(const Coefficient& c) const {
    return static_cast<T>(c.slot < 0 ? c.factor : c.factor * room.scalars[c.slot]);
  }

  template <int width>
  NZ_DEVICE void element(std::int64_t i, const T* a, const T* b, const T* c, double* sums) const {
    using P = Pack<T, width>;
    const auto read = [i](const T* p) { return reinterpret_cast<const P*>(p)[i]; };
    NZ_UNROLL
    for (int u = 0; u < most_updates; ++u) {
      if (u >= s.updates) continue;
      const VectorUpdate<T>& w = s.update[u];
      P before{}, x{}, d{}, y;
      const bool reads = w.b.factor != 0 || w.measured;
      if (reads) before = read(w.y);
      if (w.x) x = read(w.x);
      if (w.d) d = read(w.d);
      NZ_UNROLL
      for (int k = 0; k < width; ++k) {
        T term = w.x ? a[u] * x.at[k] : a[u];
        if (w.d) term *= d.at[k];
        if (w.b.factor != 0) term += b[u] * before.at[k];
        y.at[k] = term + c[u];
        if (summing && w.measured) {
          const double change = static_cast<double>(y.at[k]) - static_cast<double>(before.at[k]);
          sums[0] += change < 0 ? -change : change;
        }
      }
      reinterpret_cast<P*>(w.y)[i] = y;
    }
    if constexpr (summing) {
      NZ_UNROLL
      for (int k = 0; k < most_sums; ++k) {
        if (k >= s.sums || !s.sum[k].u) continue;
        const P u = read(s.sum[k].u), v = s.sum[k].v ? read(s.sum[k].v) : P{};
        NZ_UNROLL
        for (int e = 0; e < width; ++e)
          sums[k] += s.sum[k].v ? static_cast<double>(u.at[e]) * static_cast<double>(v.at[e])
                                : static_cast<double>(u.at[e]);
      }
    }
  }

  // The block's sums, in thread 0.
  NZ_DEVICE void add_up(Thread& t, double* sums, const SharedArray<double>& shared) const {
    NZ_UNROLL
    for (int k = 0; k < most_sums; ++k) {
      if (k >= s.sums) continue;
      sums[k] = sum_down(t, sums[k]);
      if (t.lane() == 0) shared[k * warps + t.warp()] = sums[k];
    }
    t.sync();
    NZ_UNROLL
    for (int k = 0; k < most_sums; ++k) {
      if (k >= s.sums || t.index() != 0) continue;
      sums[k] = 0;
      for (int w = 0; w < t.warps(); ++w) sums[k] += shared[k * warps + w];
    }
    t.sync();
  }

  NZ_DEVICE void operator()(Thread& t) const {
    if (room.scalars[scalar_stopped] != 0) return;
    T a[most_updates], b[most_updates], c[most_updates];
    NZ_UNROLL
    for (int u = 0; u < most_updates; ++u) {
      a[u] = u < s.updates ? value_of(s.update[u].a) : T(0);
      b[u] = u < s.updates ? value_of(s.update[u].b) : T(0);
      c[u] = u < s.updates ? value_of(s.update[u].c) : T(0);
    }
    double sums[most_sums] = {};
    const std::int64_t packs = s.n / W;
    for (std::int64_t i = t.global_index(); i < packs; i += t.global_size())
      element<W>(i, a, b, c, sums);
    if (W > 1 && packs * W + t.global_index() < s.n)
      element<1>(packs * W + t.global_index(), a, b, c, sums);
    if constexpr (summing) finish(t, sums);
  }

  NZ_DEVICE void finish(Thread& t, double* sums) const {
    const auto shared = t.shared<double>(most_sums * warps);
    const auto last = t.shared<int>(1);
    const auto scalars = t.shared<double>(room.size);
    add_up(t, sums, shared);
    if (t.index() == 0) {
      NZ_UNROLL
      for (int k = 0; k < most_sums; ++k)
        if (k < s.sums) room.parts[t.block() * most_sums + k] = sums[k];
      t.fence();
      const unsigned before = t.atomic_add(room.counter, 1u);
      last[0] = before + 1 == static_cast<unsigned>(t.grid_size());
    }
    t.sync();
    const int is_last = last[0];
    if (!is_last) return;
    t.fence();
    NZ_UNROLL
    for (int k = 0; k < most_sums; ++k) {
      if (k >= s.sums) continue;
      sums[k] = 0;
      for (int i = t.index(); i < t.grid_size(); i += t.block_size())
        sums[k] += t.load_coherent(room.parts + i * most_sums + k);
    }
    for (int i = t.index(); i < room.size; i += t.block_size()) scalars[i] = room.scalars[i];
    add_up(t, sums, shared);
    if (t.index() == 0) {
      NZ_UNROLL
      for (int k = 0; k < most_sums; ++k)
        if (k < s.sums) scalars[s.sum[k].slot] = sums[k];
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

template <class T, int W>
void launch_sweep(CUstream_st* stream, const Sweep<T>& s, const SweepRoom& room) {
  const bool summing = s.sums > 0 || s.steps > 0;
  const std::int64_t needed = (s.n / W + sweep_threads) / sweep_threads;
  const int blocks = static_cast<int>(std::min<std::int64_t>(needed, room.blocks));
  Launch how{.blocks = blocks, .threads = sweep_threads, .stream = stream};
  if (!summing) return launch(how, RunSweep<T, W, false>{s, room});
  how.shared_bytes =
      (Sweep<T>::most_sums * warps + 1 + static_cast<std::size_t>(room.size)) * sizeof(double);
  launch(how, RunSweep<T, W, true>{s, room});
}

}  // namespace

template <class T>
void queue_sweep(CUstream_st* stream, const Sweep<T>& s, const SweepRoom& room) {
  if (aligned(s))
    launch_sweep<T, 16 / sizeof(T)>(stream, s, room);
  else
    launch_sweep<T, 1>(stream, s, room);
}
template void queue_sweep(CUstream_st*, const Sweep<float>&, const SweepRoom&);
template void queue_sweep(CUstream_st*, const Sweep<double>&, const SweepRoom&);

}  // namespace nz::NZ_HOME
