#include <cstdint>
#include <type_traits>

#include "kernels/gpu/papers/chirila2025/bsr_tasks.hpp"

namespace nz::NZ_HOME {
namespace {

// Listing 18: a thread takes a column of a block, several rows of it at once with their sums in
// registers; a warp adds them up and goes to shared memory once.
template <class T, int rows_at_once, int threads, int blocks, int bits, int calls>
struct VectorSums {
  static constexpr const char* name = "gpu/bsr/vector";
  static constexpr int max_threads = threads, min_blocks = blocks;
  BsrTasks<T> a;

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> sums = t.shared<T>(a.block_rows);
    over_tasks<calls>(t, a, [&](const LinePart& part) {
      if (part.first == part.last) return;  // less than a block: its first task has none of it
      clear_sums(t, a, sums);
      rows_from<rows_at_once>(t, part, sums, 0);
      add_sums_to_y(t, a, part, sums);
    });
  }

 private:
  // Rows `top` and on, n at once as often as that many are left, the rest fewer at once. (The
  // listing goes on where a multiple of n ends instead, which takes rows twice, or rows that the
  // block does not have, when n divides neither the rows nor what is left of them.)
  template <int n>
  NZ_DEVICE void rows_from(Thread& t, const LinePart& part, const SharedArray<T>& sums,
                           int top) const {
    NZ_ROLLED for (; top + n <= a.block_rows; top += n) rows<n>(t, part, sums, top);
    if constexpr (n > 1) rows_from<n - 1>(t, part, sums, top);
  }

  template <int n>
  NZ_DEVICE void rows(Thread& t, const LinePart& part, const SharedArray<T>& sums, int top) const {
    T acc[n] = {};
    // Columns of a line fit in 32 bits, its values need not. Of 64 bits are columns of all lines.
    using Index = std::conditional_t<bits == 64, std::int64_t, unsigned>;
    const std::int64_t before = bits == 64 ? 0 : part.first;
    const auto width = static_cast<Index>(a.block_cols);
    const auto stop = static_cast<Index>((part.last - before) * width);
    for (auto index = static_cast<Index>((part.first - before) * width + t.index()); index < stop;
         index += static_cast<Index>(t.block_size())) {
      const std::int64_t block = before + index / width;
      const auto col = static_cast<int>(index % width);
      const std::int64_t j = std::int64_t{a.block_cols} * t.load(a.columns + block) + col;
      if (j >= a.cols) continue;
      const T* values = a.values + block * a.block_size() + top * a.block_cols + col;
      const T x = t.load(a.x + j);
      NZ_UNROLL for (int k = 0; k < n; ++k) acc[k] += t.load(values + k * a.block_cols) * x;
    }
    NZ_UNROLL for (int k = 0; k < n; ++k) {
      const T sum = reduce_to_first_lane(t, acc[k]);
      if (t.lane() == 0) t.atomic_add(sums, top + k, sum);
    }
  }
};

struct VectorKernels {
  template <class T, class F>
  static void choose(const Parameters& p, F&& f) {
    with_bounds(p, [&]<int threads, int blocks>() {
      const std::int64_t n = p.at("rows_at_once");
      const auto with = [&]<int rows>() {
        with_index_bits(p.at("index_bits"), [&]<int bits>() {
          // All as printed; otherwise once is enough to compile.
          if constexpr (rows == 8 && bits == 64)
            if (p.at("calls") > 1)
              return f.template operator()<VectorSums<T, rows, threads, blocks, bits, 4>>();
          f.template operator()<VectorSums<T, rows, threads, blocks, bits, 1>>();
        });
      };
      if (n >= 16)
        with.template operator()<16>();
      else if (n >= 8)
        with.template operator()<8>();
      else if (n >= 5)
        with.template operator()<5>();
      else if (n >= 4)
        with.template operator()<4>();
      else if (n >= 2)
        with.template operator()<2>();
      else
        with.template operator()<1>();
    });
  }
  static std::int64_t shared_values(const Parameters& p) { return p.at("block_rows"); }
};

template <class T, class O>
using Vector = OnBsrTasks<T, O, VectorKernels>;

}  // namespace

Kernel gpu_bsr_vector() {
  Kernel k = bsr_task_kernel("vector", "chirila2025 §8.3.2 listing 18",
                             "a thread a column of a block, several rows at once in registers",
                             // Table 12, and 77 registers there.
                             {.threads = 64, .oversubscription = 4, .registers = 0},
                             prepare_gpu<Vector>());
  k.parameters.push_back(
      {"rows_at_once", "rows of a block a thread takes at once: 1, 2, 4, 5, 8 or 16", 8, 1, 16});
  k.parameters.push_back(place_bits_parameter());
  k.parameters.push_back(
      calls_parameter("places that a line of blocks is multiplied from: 4 as listed, only with "
                      "rows_at_once=8 and index_bits=64, or 1"));
  return k;
}

}  // namespace nz::NZ_HOME
