#include "kernels/gpu/papers/chirila2025/bsr_tasks.hpp"

namespace nz::NZ_HOME {
namespace {

// Listing 16: the sum over all threads of the block, in thread 0. Only warp 0 reads `aux`, and it
// clears it again by itself: no barrier is needed between two sums.
template <class T>
NZ_DEVICE T block_reduce(Thread& t, const SharedArray<T>& aux, T v) {
  for (int i = t.index(); i < 32; i += t.block_size()) aux[i] = T(0);
  t.sync();
  v = reduce_to_first_lane(t, v);
  if (t.lane() == 0) aux[t.warp()] = v;
  t.sync();
  if (t.warp() == 0) {
    v = aux[t.lane()];
    v = reduce_to_first_lane(t, v);
  }
  return v;
}

// Listing 15: every thread has sums of its own for all rows of a block. Which one it adds to is
// known only at run time, so they lie in local memory, as in the paper. There are as many as a
// block has rows, up to 8; blocks with more are read for 32 rows at a time.
template <class T, int places, int threads, int blocks, int bits>
struct ThreadPrivateSums {
  static constexpr const char* name = "gpu/bsr/thread-private";
  static constexpr int max_threads = threads, min_blocks = blocks;
  BsrTasks<T> a;

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> aux = t.shared<T>(32);
    over_tasks(t, a, [&](const LinePart& part) {
      NZ_ROLLED for (int top = 0; top < a.block_rows; top += places) {
        T acc[places] = {};
        over_values<bits>(t, a, part, [&](std::int64_t k, int row, std::int64_t j) {
          const int place = row - top;
          if (place >= 0 && place < places) acc[place] += t.load(a.values + k) * t.load(a.x + j);
        });
        NZ_ROLLED for (int i = 0; i < places && top + i < a.block_rows; ++i) {
          const T sum = block_reduce(t, aux, acc[i]);
          if (t.index() == 0) add_to_y(t, a, part, top + i, sum);
        }
      }
    });
  }
};

struct ThreadPrivateKernels {
  template <class T, class F>
  static void choose(const Parameters& p, F&& f) {
    with_bounds(p, [&]<int threads, int blocks>() {
      with_height<1>(p.at("block_rows"), [&]<int places>() {
        with_index_bits(p.at("index_bits"), [&]<int bits>() {
          f.template operator()<ThreadPrivateSums<T, places, threads, blocks, bits>>();
        });
      });
    });
  }
  static std::int64_t shared_values(const Parameters&) { return 32; }

 private:
  template <int places, class F>
  static void with_height(std::int64_t rows, F&& f) {
    if (rows == places)
      f.template operator()<places>();
    else if constexpr (places < 8)
      with_height<places + 1>(rows, f);
    else
      f.template operator()<32>();
  }
};

template <class T, class O>
using ThreadPrivate = OnBsrTasks<T, O, ThreadPrivateKernels>;

}  // namespace

Kernel gpu_bsr_thread_private() {
  Kernel k = bsr_task_kernel("thread-private", "chirila2025 §8.3.2 listings 15 and 16",
                             "a thread a value, sums of its own, reduced by shuffles",
                             {.threads = 32, .oversubscription = 16},  // table 8
                             prepare_gpu<ThreadPrivate>());
  k.parameters.push_back(place_bits_parameter());
  return k;
}

}  // namespace nz::NZ_HOME
