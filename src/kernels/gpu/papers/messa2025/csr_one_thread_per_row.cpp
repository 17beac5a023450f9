#include "kernels/gpu/papers/messa2025/launch_bounds.hpp"
#include "kernels/gpu/papers/messa2025/row_loops.hpp"

namespace nz::NZ_HOME {
namespace {

// Deliverable 1, of which the paper prints nothing, from its program: as many threads as rows.
template <class T, class O>
struct FirstThreads {
  static constexpr const char* name = "gpu/csr/one-thread-per-row-plain";
  static constexpr bool unbounded = true;
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index();
    if (row < a.rows) out.put(row, first_row_sum(t, a, x, row, 0, 1));
  }
};

template <class T, class O, class Out = Output<T>, class K = std::int64_t>
struct StridingThreads {
  static constexpr const char* name = "gpu/csr/one-thread-per-row";
  static constexpr Loop paper_loop = Loop::by_four;
  CsrView<T, O> a;
  const T* x;
  Out out;
  template <Loop loop>
  NZ_DEVICE void work(Thread& t) const {
    for (std::int64_t row = t.global_index(); row < a.rows; row += t.global_size())
      out.put(row, row_sum<loop, K>(t, a, x, row, 0, 1));
  }
};

// messa2025 §V-C: a thread's sum lies in shared memory until its block is done.
template <class T, class O>
struct BufferingThreads {
  static constexpr const char* name = "gpu/csr/one-thread-per-row-shared";
  static constexpr bool unbounded = true;
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto sums = t.shared<T>(t.block_size());
    const int i = t.index();
    for (std::int64_t first = std::int64_t{t.block()} * t.block_size(); first < a.rows;
         first += t.global_size()) {
      const std::int64_t row = first + i;
      if (row < a.rows) sums[i] = row_sum<Loop::by_four>(t, a, x, row, 0, 1);
      t.sync();
      if (row < a.rows) out.put(row, T(sums[i]));
      t.sync();  // before the next rows
    }
  }
};

template <class T, class O>
class OneThreadPerRowPlain : public OnCsr<T, O> {
 public:
  OneThreadPerRowPlain(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a), threads_(threads_of(p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch({.blocks = blocks_for(this->rows(), threads_), .threads = threads_, .stream = stream},
           FirstThreads<T, O>{this->a(), x, {alpha, beta, y}});
  }

 private:
  int threads_;
};

template <class T, class O>
class OneThreadPerRow : public OnCsr<T, O> {
 public:
  OneThreadPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        blocks_(stride_blocks(blocks_for(a.rows, threads_), p)),
        bare_(p.at("bare") != 0 && counts_in_32_bits(a.nnz)),
        kernel_(a.rows, a.nnz, p),
        bare_kernel_(a.rows, a.nnz, p) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    const Launch how{.blocks = blocks_, .threads = threads_, .stream = stream};
    if (is_bare(bare_, alpha, beta))
      bare_kernel_.launch(how, {this->a(), x, {y}});
    else
      kernel_.launch(how, {this->a(), x, {alpha, beta, y}});
  }
  // Of y = A x alone where that has a kernel of its own.
  Facts facts() const { return bare_ ? bare_kernel_.facts() : kernel_.facts(); }

 private:
  int threads_, blocks_;
  bool bare_;
  BoundedKernel<StridingThreads<T, O>> kernel_;
  BoundedKernel<StridingThreads<T, O, BareOutput<T>, std::int32_t>> bare_kernel_;
};

template <class T, class O>
class OneThreadPerRowShared : public OnCsr<T, O> {
 public:
  OneThreadPerRowShared(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        blocks_(stride_blocks(blocks_for(a.rows, threads_), p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch({.blocks = blocks_,
            .threads = threads_,
            .shared_bytes = static_cast<std::size_t>(threads_) * sizeof(T),
            .stream = stream},
           BufferingThreads<T, O>{this->a(), x, {alpha, beta, y}});
  }

 private:
  int threads_, blocks_;
};

}  // namespace

Kernel gpu_csr_one_thread_per_row() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-thread-per-row",
          .determinism = Determinism::always,
          .source = "messa2025 §V-B1",
          .summary = "a thread a row: unrolled by four, launch bounds by mean row length",
          .parameters = {threads_parameter(256, 256), launch_bounds_parameter(bounds_by_length),
                         rolled_parameter(), blocks_per_sm_parameter(), bare_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneThreadPerRow>()};
}

Kernel gpu_csr_one_thread_per_row_plain() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-thread-per-row-plain",
          .determinism = Determinism::always,
          .source = "messa2025 Deliverable 1",
          .summary = "a thread a row, as many threads as rows",
          .parameters = {threads_parameter(256, 256)},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneThreadPerRowPlain>()};
}

Kernel gpu_csr_one_thread_per_row_shared() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-thread-per-row-shared",
          .determinism = Determinism::always,
          .source = "messa2025 §V-C",
          .summary = "one-thread-per-row, its sums held in shared memory",
          .parameters = {threads_parameter(256, 256), blocks_per_sm_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneThreadPerRowShared>()};
}

}  // namespace nz::NZ_HOME
