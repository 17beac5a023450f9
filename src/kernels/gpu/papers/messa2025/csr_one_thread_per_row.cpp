#include "kernels/gpu/papers/messa2025/row_loops.hpp"
#include "kernels/row_groups.hpp"

namespace nz::NZ_HOME {

Kernel gpu_csr_thread_per_row();

namespace {

// Launch bounds are compiled in, so there is one kernel for each choice.
template <class T, class O, int blocks>
struct StridingThreads {
  static constexpr const char* name = "gpu/csr/one-thread-per-row";
  static constexpr int max_threads = 256, min_blocks = blocks;
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t row = t.global_index(); row < a.rows; row += t.global_size())
      out.put(row, row_sum(t, a, x, row, 0, 1));
  }
};

template <class T, class O>
class OneThreadPerRow : public OnCsr<T, O> {
 public:
  OneThreadPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a), threads_(threads_of(p)), min_blocks_(static_cast<int>(p.at("min_blocks"))) {
    if (min_blocks_ == 0) min_blocks_ = min_blocks_for(a.rows, a.nnz);
    choose([&]<int n>() {
      const std::int64_t needed = blocks_for(a.rows, threads_);
      blocks_ = stride_blocks<StridingThreads<T, O, n>>(needed, threads_, 0, p);
    });
  }
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    choose([&]<int n>() {
      launch({.blocks = blocks_, .threads = threads_, .stream = stream},
             StridingThreads<T, O, n>{this->a(), x, {alpha, beta, y}});
    });
  }

 private:
  template <class F>
  void choose(F f) const {
    if (min_blocks_ <= 2) return f.template operator()<2>();
    if (min_blocks_ <= 4) return f.template operator()<4>();
    if (min_blocks_ <= 6) return f.template operator()<6>();
    return f.template operator()<8>();
  }
  int threads_, min_blocks_, blocks_ = 0;
};

}  // namespace

Kernel gpu_csr_one_thread_per_row() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-thread-per-row",
          .determinism = Determinism::always,
          .source = "messa2025 §V-B1",
          .summary = "a thread a row: unrolled by four, launch bounds by mean row length",
          .parameters = {threads_parameter(256, 256),
                         {"min_blocks",
                          "blocks that a multiprocessor must hold: 2, 4, 6 or 8, rounded up to "
                          "one of them; 0: by mean row length",
                          0, 0, 8},
                         oversubscription_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneThreadPerRow>()};
}

// Without any of that it is the kernel that mazzucchi2025 has too.
Kernel gpu_csr_one_thread_per_row_plain() {
  Kernel k = gpu_csr_thread_per_row();
  k.strategy = "one-thread-per-row-plain";
  k.source = "messa2025 Deliverable 1";
  k.summary = "a thread a row; the same code as thread-per-row";
  return k;
}

}  // namespace nz::NZ_HOME
