#include "solve/device/sweep_work.hpp"

// The sweeps between two products in one kernel. A thread has the same elements in all of them, so
// only sums need the other blocks: each leaves its own behind, waits until all have come, and then
// adds up all of them, in the same order, and runs the steps by itself. So no block waits for
// another one's arithmetic, and the scalars stay in shared memory.
//
// Sweeps go through the vectors to and fro: what the one before had last, the cache still has.
namespace nz::NZ_HOME {
namespace {

constexpr int chain_threads = 512, blocks_per_processor = 2;

template <int U, int S, Kind of = Kind::plain>
struct Shape {
  static constexpr int updates = U, sums = S;
  static constexpr Kind kind = of;
};

template <class T, int W, class First, class... Rest>
struct RunChain {
  static constexpr const char* name = "vector sweeps in a row";
  static constexpr int max_threads = chain_threads, min_blocks = blocks_per_processor;
  static constexpr int most_sums = Sweep<T>::most_sums, length = 1 + int(sizeof...(Rest));
  static_assert(First::updates == 0 && First::sums > 0, "it runs before the scalars are there");

  Sweep<T> s[length];
  SweepRoom room;
  Packs packs;

  struct Shared {
    SharedArray<double> sums, scalars;
    NZ_DEVICE Shared(Thread& t, int size)
        : sums(t.shared<double>(most_sums * t.warps())), scalars(t.shared<double>(size)) {}
  };
  static std::size_t shared_bytes(int size) {
    return sizeof(double) * (most_sums * chain_threads / 32 + static_cast<std::size_t>(size));
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const Shared shared(t, room.size);
    for (int i = t.index(); i < room.size; i += t.block_size())
      t.template copy_async<1>(shared.scalars, i, room.scalars + i);
    t.commit_copies();
    run<0, First, Rest...>(t, shared);
  }

 private:
  template <int at, class Now, class... Later>
  NZ_DEVICE void run(Thread& t, const Shared& shared) const {
    const SweepWork<T, Now::updates, Now::sums, true, Now::kind> work{s[at]};
    constexpr int together = Now::updates == 3 || Now::kind == Kind::any ? 1 : 2;
    double sums[most_sums] = {};
    if constexpr (at == 0) {
      work.template all<W, together, true>(t, packs, {}, sums);
      t.template wait_copies<0>();
      t.sync();
      if (shared.scalars[scalar_stopped] != 0) return;
    } else {
      work.template all<W, together, at % 2 == 0>(t, packs, work.factors(shared.scalars), sums);
    }
    if constexpr (Now::sums > 0) {
      meet<at>(t, work, sums, shared);
      // Everybody has read the scalars by now.
      const bool stopped = shared.scalars[scalar_stopped] != 0;
      if (stopped || !more_sums<Later...>()) {
        leave<at>(t);
        if (t.block() == 0)
          for (int i = t.index(); i < room.size; i += t.block_size())
            room.scalars[i] = shared.scalars[i];
      }
      if (stopped) return;
    }
    if constexpr (sizeof...(Later) > 0) run<at + 1, Later...>(t, shared);
  }

  template <class... Later>
  static constexpr bool more_sums() {
    return ((Later::sums > 0) || ... || false);
  }

  // The sums of all blocks, and the steps that follow them, in every block.
  template <int at, class Work>
  NZ_DEVICE void meet(Thread& t, const Work& work, double* sums, const Shared& shared) const {
    constexpr int S = Work::most_sums;
    // The ones before may still be read.
    double* parts = room.parts + (at % 2) * most_sums * t.grid_size();
    work.add_up(t, sums, shared.sums);
    if (t.warp() == 0) {
      if (t.lane() == 0) {
        NZ_UNROLL
        for (int k = 0; k < S; ++k) parts[k * t.grid_size() + t.block()] = sums[k];
        t.fence();
        t.atomic_add(room.arrived, 1u);
        const auto all = static_cast<unsigned>((at + 1) * t.grid_size());
        while (t.load_coherent(room.arrived) < all) t.pause();
        t.fence();
      }
      t.sync_warp();
      NZ_UNROLL
      for (int k = 0; k < S; ++k)
        sums[k] = reduce_to_first_lane(t, mine(t, parts + k * t.grid_size()));
      if (t.lane() == 0) {
        NZ_UNROLL
        for (int k = 0; k < S; ++k) shared.scalars[s[at].sum[k].slot] = sums[k];
        run_steps(s[at].step, s[at].steps, shared.scalars, t.block() == 0 ? room.log : nullptr);
      }
    }
    t.sync();
  }

  // Every 32nd of the blocks' sums, many on their way at once.
  NZ_DEVICE double mine(Thread& t, const double* parts) const {
    constexpr int together = 10;
    double sum = 0;
    for (int first = t.lane(); first < t.grid_size(); first += 32 * together) {
      double each[together];
      NZ_UNROLL
      for (int k = 0; k < together; ++k)
        each[k] = first + 32 * k < t.grid_size() ? t.load_coherent(parts + first + 32 * k) : 0.0;
      NZ_UNROLL
      for (int k = 0; k < together; ++k) sum += each[k];
    }
    return sum;
  }

  // The last block that has no more to wait for makes the counter ready for the next kernel.
  template <int at>
  NZ_DEVICE void leave(Thread& t) const {
    if (t.index() != 0) return;
    const auto all = static_cast<unsigned>((at + 2) * t.grid_size());
    if (t.atomic_add(room.arrived, 1u) + 1 == all) *room.arrived = 0;
  }
};

// All blocks at the same time. The emulator runs them one after the other: there may be one.
template <class K>
void launch_together(Launch how, K kernel, std::int64_t n, int width) {
  how.threads = chain_threads;
  how.shared_bytes = K::shared_bytes(kernel.room.size);
  const std::int64_t needed = (n / width + chain_threads) / chain_threads;
#ifdef __CUDACC__
  // room.parts has room for the sums of two rounds.
  how.blocks = static_cast<int>(std::min<std::int64_t>(needed, kernel.room.blocks / 2));
  kernel.packs = Packs::of(n, width, how);
  cudaLaunchAttribute together{};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(how.blocks));
  config.blockDim = dim3(static_cast<unsigned>(how.threads));
  config.dynamicSmemBytes = how.shared_bytes;
  config.stream = how.stream;
  config.attrs = &together;
  config.numAttrs = 1;
  allow_shared<K>(how.shared_bytes);
  simt::check_cuda(cudaLaunchKernelEx(&config, run_kernel<K>, kernel, simt::cache_policy()),
                   K::name);
#else
  (void)needed;
  how.blocks = 1;
  kernel.packs = Packs::of(n, width, how);
  launch(how, kernel);
#endif
}

// Whether y is touched by its own update alone. What is made anew may go to a product.
template <class T>
bool touched_once(const Sweep<T>* sweeps, int length, const T* y) {
  int times = 0;
  for (int i = 0; i < length; ++i) {
    for (int u = 0; u < sweeps[i].updates; ++u) {
      const VectorUpdate<T>& w = sweeps[i].update[u];
      times += (w.y == y) + (w.x == y) + (w.d == y);
    }
    for (int k = 0; k < sweeps[i].sums; ++k)
      times += (sweeps[i].sum[k].u == y) + (sweeps[i].sum[k].v == y);
  }
  return times == 1;
}

// The number of sweeps where these are the first ones, otherwise 0.
template <class T, class... Shapes>
int launch_if(CUstream_st* stream, const Sweep<T>* sweeps, int n, const SweepRoom& room) {
  constexpr int length = sizeof...(Shapes), width = 16 / sizeof(T);
  constexpr int updates[] = {Shapes::updates...}, sums[] = {Shapes::sums...};
  constexpr Kind kinds[] = {Shapes::kind...};
  if (n < length) return 0;
  for (int i = 0; i < length; ++i) {
    const Sweep<T>& s = sweeps[i];
    if (s.updates != updates[i] || s.sums != sums[i] || s.n != sweeps[0].n || !aligned(s)) return 0;
    if (s.sums == 0 && s.steps > 0) return 0;
    if (!is_of(kinds[i], s)) return 0;
  }
  RunChain<T, width, Shapes...> kernel{{}, room, {}};
  const bool fits = sweeps[0].n * static_cast<std::int64_t>(sizeof(T)) <=
                    static_cast<std::int64_t>(room.cache_bytes / 8);
  for (int i = 0; i < length; ++i) {
    kernel.s[i] = sweeps[i];
    for (int u = 0; u < updates[i]; ++u) {
      VectorUpdate<T>& w = kernel.s[i].update[u];
      w.once = !fits && w.b.factor != 0 && touched_once(sweeps, length, w.y);
    }
  }
  launch_together({.stream = stream}, kernel, sweeps[0].n, width);
  return length;
}

}  // namespace

template <class T>
int queue_chain(CUstream_st* stream, const Sweep<T>* s, int n, const SweepRoom& room) {
  using Dot = Shape<0, 1>;
  if (s[0].n == 0) return 0;
  int queued = 0;
  const auto try_as = [&]<class... Later>() {  // after the first one
    if (!queued) queued = launch_if<T, Dot, Later...>(stream, s, n, room);
  };
  // CG, without and with a diagonal preconditioner, BiCG and PageRank.
  try_as.template operator()<Shape<1, 1>, Shape<2, 0, Kind::sharing>>();
  try_as.template operator()<Shape<2, 2, Kind::any>, Shape<2, 0, Kind::sharing>>();
  try_as.template operator()<Shape<2, 2>, Shape<3, 0, Kind::sharing>>();
  try_as.template operator()<Shape<2, 1, Kind::any>>();
  return queued;
}
template int queue_chain(CUstream_st*, const Sweep<float>*, int, const SweepRoom&);
template int queue_chain(CUstream_st*, const Sweep<double>*, int, const SweepRoom&);

}  // namespace nz::NZ_HOME
