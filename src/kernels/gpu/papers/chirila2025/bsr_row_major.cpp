#include "kernels/gpu/papers/chirila2025/bsr_tasks.hpp"

namespace nz::NZ_HOME {
namespace {

// Listing 14: neighbouring threads read neighbouring values, each adds its products to the sums in
// shared memory with atomics.
template <class T, int threads, int blocks, int bits, int calls>
struct RowMajorAccess {
  static constexpr const char* name = "gpu/bsr/row-major";
  static constexpr int max_threads = threads, min_blocks = blocks;
  BsrTasks<T> a;

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> sums = t.shared<T>(a.block_rows);
    over_tasks<calls>(t, a, [&](const LinePart& part) {
      clear_sums(t, a, sums);
      over_values<bits>(t, a, part, [&](std::int64_t k, int row, std::int64_t j) {
        t.atomic_add(sums, row, t.load(a.values + k) * t.load(a.x + j));
      });
      add_sums_to_y(t, a, part, sums);
    });
  }
};

struct RowMajorKernels {
  template <class T, class F>
  static void choose(const Parameters& p, F&& f) {
    with_bounds(p, [&]<int threads, int blocks>() {
      with_index_bits(p.at("index_bits"), [&]<int bits>() {
        if (p.at("calls") > 1)
          f.template operator()<RowMajorAccess<T, threads, blocks, bits, 4>>();
        else
          f.template operator()<RowMajorAccess<T, threads, blocks, bits, 1>>();
      });
    });
  }
  static std::int64_t shared_values(const Parameters& p) { return p.at("block_rows"); }
};

template <class T, class O>
using RowMajor = OnBsrTasks<T, O, RowMajorKernels>;

}  // namespace

Kernel gpu_bsr_row_major() {
  Kernel k = bsr_task_kernel("row-major", "chirila2025 §8.3.2 listing 14",
                             "a thread a value, added to shared sums with atomics",
                             {.threads = 32, .oversubscription = 1},  // table 7
                             prepare_gpu<RowMajor>());
  k.parameters.push_back(place_bits_parameter());
  k.parameters.push_back(calls_parameter());
  return k;
}

}  // namespace nz::NZ_HOME
