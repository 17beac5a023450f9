#include "kernels/gpu/papers/mazzucchi2025/block_threads.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

template <class T, class O>
struct Warps {
  static constexpr const char* name = "gpu/csr/warp-per-row";
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index() / 32;
    if (row >= a.rows) return;  // the whole warp
    const std::int64_t end = a.offsets[row + 1];
    T sum = 0;
    for (std::int64_t k = a.offsets[row] + std::int64_t{t.lane()}; k < end; k += 32)
      sum += a.values[k] * x[a.columns[k]];
    sum = reduce_to_first_lane(t, sum);
    if (t.lane() == 0) out.put(row, sum);
  }
};

template <class T, class O>
class WarpPerRow : public OnCsr<T, O> {
 public:
  WarpPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a), threads_(threads_of(p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch(
        {.blocks = blocks_for(this->rows(), threads_ / 32), .threads = threads_, .stream = stream},
        Warps<T, O>{this->a(), x, {alpha, beta, y}});
  }

 private:
  int threads_;
};

}  // namespace

Kernel gpu_csr_warp_per_row() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "warp-per-row",
          .determinism = Determinism::always,
          .source = "mazzucchi2025 algorithm 2",
          .summary = "a warp a row, summed by shuffles",
          .parameters = {threads_parameter(block_threads)},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<WarpPerRow>()};
}

}  // namespace nz::NZ_HOME
