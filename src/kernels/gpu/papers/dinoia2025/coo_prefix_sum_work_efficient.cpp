#include <bit>

#include "kernels/gpu/papers/dinoia2025/coo_prefix_sum.hpp"

namespace nz::NZ_HOME {
namespace {

// The scan that dinoia2025 takes from NVIDIA's book: up a tree of sums and down again, about two
// additions an entry instead of log2(1024). An index is padded by one for every 32, so that the
// tree's strides, powers of two, fall on different banks. A thread has two entries: the program's
// "32" are threads, and 64 entries.
template <class T, int threads>
struct TreeScan : AddedToY<T> {
  static constexpr const char* name =
      threads == 32 ? "gpu/coo/ps-32-work-efficient" : "gpu/coo/ps-work-efficient";
  static constexpr int chunk = 2 * threads;
  static constexpr int max_threads = threads;

  static NZ_HOST_DEVICE int padded(int i) { return i + i / 32; }

  NZ_DEVICE void operator()(Thread& t) const {
    const int n = 2 * t.block_size();  // a power of two
    const int i = t.index();
    const auto sum = t.shared<T>(padded(n));
    const std::int64_t begin = std::int64_t{t.block()} * n;
    const std::int64_t left = this->a.nnz - begin;
    // Two entries, half a chunk apart.
    T v[2];
    for (int h = 0; h < 2; ++h) {
      const int e = i + h * (n / 2);
      v[h] = e < left ? this->product(begin + e) : T(0);
      sum[padded(e)] = v[h];
    }
    int stride = 1;
    for (int d = n / 2; d > 0; d /= 2, stride *= 2) {
      t.sync();
      if (i < d) {
        const T low = sum[padded(stride * (2 * i + 1) - 1)];
        sum[padded(stride * (2 * i + 2) - 1)] += low;
      }
    }
    t.sync();
    if (i == 0) sum[padded(n - 1)] = T(0);
    for (int d = 1; d < n; d *= 2) {
      stride /= 2;
      t.sync();
      if (i < d) {
        const int left_child = padded(stride * (2 * i + 1) - 1);
        const int right_child = padded(stride * (2 * i + 2) - 1);
        const T low = sum[left_child], high = sum[right_child];
        sum[left_child] = high;
        sum[right_child] = high + low;
      }
    }
    t.sync();
    for (int h = 0; h < 2; ++h) {
      const int e = i + h * (n / 2);
      if (e >= left) continue;
      const std::int64_t k = begin + e;
      const bool end = e == n - 1 || e == left - 1;
      // The tree leaves the sums before each entry.
      add_difference(*this, t, this->a.row[k], end ? -1 : this->a.row[k + 1],
                     T(sum[padded(e)]) + v[h]);
    }
  }
};

template <class T, int most>
class Tree : public OnCoo<T> {
 public:
  template <Offset O>
  Tree(const CsrView<T, O>& a, const Parameters&) : OnCoo<T>(a) {
    const auto nnz = std::min<std::int64_t>(this->a().nnz, TreeScan<T, most>::chunk);
    threads_ = std::max(32, static_cast<int>(std::bit_ceil(static_cast<unsigned>(nnz))) / 2);
  }
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->rows());
    const auto cells = static_cast<std::size_t>(TreeScan<T, most>::padded(2 * threads_));
    launch({.blocks = blocks_for(this->a().nnz, 2 * threads_),
            .threads = threads_,
            .shared_bytes = cells * sizeof(T),
            .stream = stream},
           TreeScan<T, most>{{this->a(), alpha, x, y}});
  }

 private:
  int threads_;
};

template <class T>
using WorkEfficient = Tree<T, 512>;
template <class T>
using WorkEfficient32 = Tree<T, 32>;

}  // namespace

Kernel gpu_coo_ps_work_efficient() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-work-efficient",
          .shared_rounding = TreeScan<double, 512>::chunk,
          .source = "dinoia2025 §IV",
          .summary = "ps-1024 by a tree without bank conflicts; bound of the chunk, not of the row",
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<WorkEfficient>()};
}

Kernel gpu_coo_ps_32_work_efficient() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-32-work-efficient",
          .shared_rounding = TreeScan<double, 32>::chunk,
          .source = "dinoia2025 §IV",
          .summary = "ps-work-efficient in blocks of 32 threads, 64 entries each",
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<WorkEfficient32>()};
}

}  // namespace nz::NZ_HOME
