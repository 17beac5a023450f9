#include "solve/device/sweep_work.hpp"
#include "kernels/gpu/parts/meeting.hpp"

// A kernel a sweep.
namespace nz::NZ_HOME {
namespace {

// Blocks leave their sums behind; the one that comes last adds them in their order and runs the
// steps.
template <class T, int W, int U, int S, bool exact, bool summing>
struct RunSweep {
  static constexpr const char* name = "vector sweep";
  static constexpr int max_threads = sweep_threads;
  static constexpr int min_blocks = exact ? 4 : 2;  // on a multiprocessor
  static constexpr int most_sums = Sweep<T>::most_sums;
  // Packs of a thread at a time: loads that do not wait for each other.
  static constexpr int together = !exact || U > 1 ? 1 : U == 0 ? 4 : 2;
  Sweep<T> s;
  SweepRoom room;
  Packs packs;

  NZ_DEVICE void operator()(Thread& t) const {
    if (room.scalars[scalar_stopped] != 0) return;
    const SweepWork<T, U, S, exact> work{s};
    double sums[most_sums] = {};
    work.template all<W, together, false>(t, packs, work.factors(room.scalars), sums);
    if constexpr (summing) finish(t, work, sums);
  }

  NZ_DEVICE void finish(Thread& t, const SweepWork<T, U, S, exact>& work, double* sums) const {
    const auto shared = t.shared<double>(most_sums * t.warps());
    const auto last = t.shared<int>(1);
    const auto scalars = t.shared<double>(room.size);
    const Meeting meeting{room.counter, t.grid_size()};
    work.add_up(t, sums, shared);
    if (t.index() == 0) {
      NZ_UNROLL
      for (int k = 0; k < S; ++k)
        if (work.sums_up(k)) room.parts[t.block() * most_sums + k] = sums[k];
      t.fence();
      last[0] = meeting.arrive(t);
    }
    t.sync();
    const int is_last = last[0];
    if (!is_last) return;
    Meeting::all_are_here(t);
    NZ_UNROLL
    for (int k = 0; k < S; ++k) {
      if (!work.sums_up(k)) continue;
      sums[k] = 0;
      for (int i = t.index(); i < t.grid_size(); i += t.block_size())
        sums[k] += t.load_coherent(room.parts + i * most_sums + k);
    }
    for (int i = t.index(); i < room.size; i += t.block_size()) scalars[i] = room.scalars[i];
    work.add_up(t, sums, shared);
    if (t.index() == 0) {
      NZ_UNROLL
      for (int k = 0; k < S; ++k)
        if (work.sums_up(k)) scalars[s.sum[k].slot] = sums[k];
      run_steps(s.step, s.steps, scalars, room.log);
      meeting.reset();
    }
    t.sync();
    for (int i = t.index(); i < room.size; i += t.block_size()) room.scalars[i] = scalars[i];
  }
};

template <class T, int W, int U, int S, bool exact>
void launch_as(CUstream_st* stream, const Sweep<T>& s, const SweepRoom& room) {
  constexpr bool summing = !exact || S > 0;
  const std::int64_t needed = (s.n / W + sweep_threads) / sweep_threads;
  Launch how{.blocks = static_cast<int>(std::min<std::int64_t>(needed, room.blocks)),
             .threads = sweep_threads,
             .stream = stream};
  if (summing)
    how.shared_bytes =
        (Sweep<T>::most_sums * sweep_threads / 32 + 1 + static_cast<std::size_t>(room.size)) *
        sizeof(double);
  launch(how, RunSweep<T, W, U, S, exact, summing>{s, room, Packs::of(s.n, W, how)});
}

// Common shapes have kernels of their own.
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
