#include "kernels/gpu/gpu_product.hpp"

namespace nz::NZ_HOME {
namespace {

template <class T, class O>
struct Rows {
  static constexpr const char* name = "gpu/csr/thread-per-row";
  CsrView<T, O> a;
  T alpha;
  const T* x;
  T beta;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index();
    if (row >= a.rows) return;
    T sum = 0;
    for (O k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    y[row] = combine(alpha, sum, beta, y + row);
  }
};

template <class T, class O>
class ThreadPerRow : public OnCsr<T, O> {
 public:
  ThreadPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a), threads_(threads_of(p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch({.blocks = blocks_for(this->rows(), threads_), .threads = threads_, .stream = stream},
           Rows<T, O>{this->a(), alpha, x, beta, y});
  }

 private:
  int threads_;
};

}  // namespace

Kernel gpu_csr_thread_per_row() {
  return {.device = "gpu",
          .format = "csr",
          .strategy = "thread-per-row",
          .deterministic = true,
          .source = "mazzucchi2025 algorithm 1",
          .summary = "a thread a row",
          .parameters = {threads_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<ThreadPerRow>()};
}

}  // namespace nz::NZ_HOME
