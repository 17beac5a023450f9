#include "kernels/gpu/papers/messa2025/row_loops.hpp"

namespace nz::NZ_HOME {
namespace {

// Deliverable 1, which the paper does not print: messa2025 §V-A says that shuffles did away with
// its atomics, and §V-C that the baseline had no shared memory. We read that as each lane adding
// its part to y.
template <class T, class O>
struct AddingWarps {
  static constexpr const char* name = "gpu/csr/one-warp-per-row-plain";
  CsrView<T, O> a;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index() / 32;
    if (row >= a.rows) return;
    const std::int64_t begin = a.offsets[row] + std::int64_t{t.lane()}, end = a.offsets[row + 1];
    if (begin >= end) return;
    T sum = 0;
    for (std::int64_t k = begin; k < end; k += 32) sum += a.values[k] * x[a.columns[k]];
    t.atomic_add(y + row, alpha * sum);
  }
};

template <class T, class O>
struct StridingWarps {
  static constexpr const char* name = "gpu/csr/one-warp-per-row";
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t row = t.global_index() / 32; row < a.rows; row += t.global_size() / 32) {
      const T sum = warp_row_sum(t, a, x, row);
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
    scale(stream, beta, y, this->rows());
    launch(
        {.blocks = blocks_for(this->rows(), threads_ / 32), .threads = threads_, .stream = stream},
        AddingWarps<T, O>{this->a(), alpha, x, y});
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
        blocks_(stride_blocks<StridingWarps<T, O>>(blocks_for(a.rows, threads_ / 32), threads_, 0,
                                                   p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch({.blocks = blocks_, .threads = threads_, .stream = stream},
           StridingWarps<T, O>{this->a(), x, {alpha, beta, y}});
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
          .parameters = {threads_parameter(), oversubscription_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneWarpPerRow>()};
}

Kernel gpu_csr_one_warp_per_row_plain() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-warp-per-row-plain",
          .source = "messa2025 Deliverable 1",
          .summary = "a warp a row, each lane adding its part to y",
          .parameters = {threads_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneWarpPerRowPlain>()};
}

}  // namespace nz::NZ_HOME
