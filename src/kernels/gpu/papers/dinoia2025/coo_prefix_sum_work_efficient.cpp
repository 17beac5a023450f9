#include <bit>

#include "kernels/gpu/papers/dinoia2025/coo_prefix_sum.hpp"

namespace nz::NZ_HOME {
namespace {

// What of the scan is the program's: where not all is as in the book.
struct TreeForm {
  bool pads;    // an index is padded by one for every 32
  bool apart;   // a thread's two entries lie half a chunk apart, otherwise side by side
  bool halves;  // every level copies the chunk to the other half of the memory and works there
};

// The scan that dinoia2025 takes from NVIDIA's book: up a tree of sums and down again, about two
// additions an entry instead of log2(1024). With padding the tree's strides, powers of two, fall on
// different banks. A thread has two entries: the program's "32" are threads, and 64 entries.
template <class To, int threads, TreeForm form>
struct TreeScan : To {
  using T = typename To::Value;
  using K = typename To::Count;
  static constexpr const char* name =
      threads == 32 ? "gpu/coo/ps-32-work-efficient" : "gpu/coo/ps-work-efficient";
  static constexpr int max_threads = threads;

  static NZ_HOST_DEVICE int padded(int i) { return form.pads ? i + i / 32 : i; }
  static std::size_t shared_bytes(int block) {
    return static_cast<std::size_t>(padded(2 * block) * (form.halves ? 2 : 1)) * sizeof(T);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const int n = 2 * t.block_size();  // a power of two
    const int i = t.index(), half = padded(n);
    const auto sum = t.shared<T>(form.halves ? 2 * half : half);
    const auto entry = [&](int h) { return form.apart ? i + h * (n / 2) : 2 * i + h; };
    const K begin = K{t.block()} * n, left = this->size() - begin;
    T v[2];
    for (int h = 0; h < 2; ++h) {
      const int e = entry(h);
      v[h] = e < left ? this->product(begin + e) : T(0);
      sum[padded(e)] = v[h];
    }
    int from = 0, to = 0;  // where a level reads, and where it writes
    const auto next_level = [&] {
      if constexpr (form.halves) {
        from = to;
        to = half - from;
        for (int h = 0; h < 2; ++h) {
          const int e = padded(entry(h));
          sum[to + e] = T(sum[from + e]);
        }
        t.sync();
      }
    };
    int stride = 1;
    for (int d = n / 2; d > 0; d /= 2, stride *= 2) {
      t.sync();
      next_level();
      if (i < d) {
        const int right = padded(stride * (2 * i + 2) - 1);
        const T low = sum[from + padded(stride * (2 * i + 1) - 1)], high = sum[from + right];
        sum[to + right] = high + low;
      }
    }
    t.sync();
    if (i == 0) sum[to + padded(n - 1)] = T(0);
    for (int d = 1; d < n; d *= 2) {
      stride /= 2;
      t.sync();
      next_level();
      if (i < d) {
        const int left_child = padded(stride * (2 * i + 1) - 1);
        const int right_child = padded(stride * (2 * i + 2) - 1);
        const T low = sum[from + left_child], high = sum[from + right_child];
        sum[to + left_child] = high;
        sum[to + right_child] = high + low;
      }
    }
    t.sync();
    for (int h = 0; h < 2; ++h) {
      const int e = entry(h);
      if (e >= left) continue;
      const K k = begin + e;
      const bool end = e == n - 1 || e == left - 1;
      // The tree leaves the sums before each entry.
      add_difference(*this, t, this->a.row[k], end ? -1 : this->a.row[k + 1],
                     T(sum[to + padded(e)]) + v[h]);
    }
  }
};

template <class T, int most>
class Tree : public AddingCoo<T> {
 public:
  template <Offset O>
  Tree(const CsrView<T, O>& a, const Parameters& p)
      : AddingCoo<T>(a, p), pads_(p.at("padding") != 0), apart_(p.at("apart") != 0) {
    if constexpr (most > 32) halves_ = p.at("halves") != 0;
    unsigned chunk = 2 * most;
    if (p.contains("threads")) chunk = 2 * static_cast<unsigned>(chunk_threads(p));
    const auto nnz = static_cast<unsigned>(std::min<std::int64_t>(this->a().nnz, chunk));
    threads_ = std::max(32, static_cast<int>(std::bit_ceil(nnz)) / 2);
  }
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    this->add_to(stream, alpha, x, beta, y, [&]<class To>(const To& to) {
      if (pads_ && apart_)
        with_halves<true, true>(stream, to);
      else if (pads_)
        with_halves<true, false>(stream, to);
      else if (apart_)
        with_halves<false, true>(stream, to);
      else
        with_halves<false, false>(stream, to);
    });
  }

 private:
  template <bool pads, bool apart, class To>
  void with_halves(CUstream_st* stream, const To& to) const {
    if constexpr (most > 32)
      if (halves_) return run(stream, TreeScan<To, most, TreeForm{pads, apart, true}>{to});
    run(stream, TreeScan<To, most, TreeForm{pads, apart, false}>{to});
  }
  template <class Kernel>
  void run(CUstream_st* stream, const Kernel& kernel) const {
    launch({.blocks = blocks_for(this->a().nnz, 2 * threads_),
            .threads = threads_,
            .shared_bytes = Kernel::shared_bytes(threads_),
            .stream = stream},
           kernel);
  }

  bool pads_, apart_, halves_ = false;
  int threads_ = 32;
};

// The program's scan has neither padding nor entries apart; over 1024 it has the halves as well.
std::vector<Parameter> tree_parameters() {
  return with_adding_form(
      {{"padding", "1: places are padded, for fewer bank conflicts", 1, 0, 1},
       {"apart", "1: the two entries of a thread lie half a chunk apart; 0: side by side", 1, 0,
        1}});
}

template <class T>
using WorkEfficient = Tree<T, 512>;
template <class T>
using WorkEfficient32 = Tree<T, 32>;

}  // namespace

Kernel gpu_coo_ps_work_efficient() {
  auto parameters = tree_parameters();
  parameters.push_back(
      {"halves", "1: a level copies the chunk to the other half of the memory", 0, 0, 1});
  parameters.push_back(
      chunk_threads_parameter(512, "threads a block, the power of 2 below, two entries each"));
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-work-efficient",
          .shared_rounding = 1024,
          .source = "dinoia2025 §IV",
          .summary = "ps-1024 by a tree without bank conflicts; bound of the chunk, not of the row",
          .parameters = parameters,
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<WorkEfficient>()};
}

Kernel gpu_coo_ps_32_work_efficient() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-32-work-efficient",
          .shared_rounding = 64,
          .source = "dinoia2025 §IV",
          .summary = "ps-work-efficient in blocks of 32 threads, 64 entries each",
          .parameters = tree_parameters(),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<WorkEfficient32>()};
}

}  // namespace nz::NZ_HOME
