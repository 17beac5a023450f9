#include "kernels/gpu/papers/messa2025/launch_bounds.hpp"
#include "kernels/gpu/papers/messa2025/row_loops.hpp"

namespace nz::NZ_HOME {
namespace {

// Deliverable 1, of which the paper prints nothing, from its program: as many warps as rows.
template <class T, class O>
struct FirstWarps {
  static constexpr const char* name = "gpu/csr/one-warp-per-row-plain";
  static constexpr bool unbounded = true;
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index() / 32;
    if (row >= a.rows) return;
    const T sum = reduce_to_first_lane(t, first_row_sum(t, a, x, row, t.lane(), 32));
    if (t.lane() == 0) out.put(row, sum);
  }
};

template <class T, class O, class Out = Output<T>, class K = std::int64_t>
struct StridingWarps {
  static constexpr const char* name = "gpu/csr/one-warp-per-row";
  static constexpr Loop paper_loop = Loop::unrolled_4;
  CsrView<T, O> a;
  const T* x;
  Out out;
  template <Loop loop>
  NZ_DEVICE void work(Thread& t) const {
    for (std::int64_t row = t.global_index() / 32; row < a.rows; row += t.global_size() / 32) {
      const T sum = warp_row_sum<loop, K>(t, a, x, row);
      if (t.lane() == 0) out.put(row, sum);
    }
  }
};

template <class T, class O>
struct BufferingWarps {
  static constexpr const char* name = "gpu/csr/one-warp-per-row-shared";
  static constexpr bool unbounded = true;
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto parts = t.shared<T>(t.block_size());
    for (std::int64_t row = t.global_index() / 32; row < a.rows; row += t.global_size() / 32) {
      const T sum = sum_in_shared(t, parts, row_sum<Loop::unrolled_4>(t, a, x, row, t.lane(), 32));
      if (t.lane() == 0) out.put(row, sum);
    }
  }
};

template <class T, class O>
class OneWarpPerRowPlain : public OnCsr<T, O> {
 public:
  OneWarpPerRowPlain(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a), threads_(threads_of(p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch(
        {.blocks = blocks_for(this->rows(), threads_ / 32), .threads = threads_, .stream = stream},
        FirstWarps<T, O>{this->a(), x, {alpha, beta, y}});
  }

 private:
  int threads_;
};

template <class T, class O>
class OneWarpPerRow : public OnCsr<T, O> {
 public:
  OneWarpPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        blocks_(stride_blocks(blocks_for(a.rows, threads_ / 32), p)),
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
  BoundedKernel<StridingWarps<T, O>> kernel_;
  BoundedKernel<StridingWarps<T, O, BareOutput<T>, std::int32_t>> bare_kernel_;
};

template <class T, class O>
class OneWarpPerRowShared : public OnCsr<T, O> {
 public:
  OneWarpPerRowShared(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        blocks_(stride_blocks(blocks_for(a.rows, threads_ / 32), p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch({.blocks = blocks_,
            .threads = threads_,
            .shared_bytes = static_cast<std::size_t>(threads_) * sizeof(T),
            .stream = stream},
           BufferingWarps<T, O>{this->a(), x, {alpha, beta, y}});
  }

 private:
  int threads_, blocks_;
};

}  // namespace

Kernel gpu_csr_one_warp_per_row() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-warp-per-row",
          .determinism = Determinism::always,
          .source = "messa2025 §V-B2",
          .summary = "a warp a row: unrolled by four, summed by shuffles",
          .parameters = {threads_parameter(256, 256), launch_bounds_parameter(0),
                         rolled_parameter(), blocks_per_sm_parameter(), bare_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneWarpPerRow>()};
}

Kernel gpu_csr_one_warp_per_row_plain() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-warp-per-row-plain",
          .determinism = Determinism::always,
          .source = "messa2025 Deliverable 1",
          .summary = "a warp a row, as many warps as rows, summed by shuffles",
          .parameters = {threads_parameter(256, 256)},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneWarpPerRowPlain>()};
}

Kernel gpu_csr_one_warp_per_row_shared() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-warp-per-row-shared",
          .determinism = Determinism::always,
          .source = "messa2025 §V-C",
          .summary = "one-warp-per-row, summed in shared memory",
          .parameters = {threads_parameter(256, 256), blocks_per_sm_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneWarpPerRowShared>()};
}

}  // namespace nz::NZ_HOME
