#include "kernels/gpu/papers/mazzucchi2025/block_threads.hpp"
#include "kernels/gpu/printed_form.hpp"
#include "kernels/gpu/row_order.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

// Rows, threads and entries are counted as K.
template <class T, class O, class Out, class K, bool swizzled>
struct Warps {
  static constexpr const char* name = "gpu/csr/warp-per-row";
  CsrView<T, O> a;
  const T* x;
  Out out;
  RowAt<swizzled> row_at{};
  NZ_DEVICE void operator()(Thread& t) const {
    const auto place = index_as<K>(t) / 32;
    if (place >= a.rows) return;  // the whole warp
    const auto row = static_cast<K>(row_at(t, place));
    const auto end = static_cast<K>(a.offsets[row + 1]);
    T sum = 0;
    for (K k = static_cast<K>(a.offsets[row]) + K{t.lane()}; k < end; k += 32)
      sum += a.values[k] * x[a.columns[k]];
    sum = reduce_to_first_lane(t, sum);
    if (t.lane() == 0) out.put(row, sum);
  }
};

template <class T, class O>
class WarpPerRow : public OnOrderedCsr<T, O> {
 public:
  WarpPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnOrderedCsr<T, O>(a, p),
        threads_(threads_of(p)),
        form_(p, a.nnz + std::int64_t{a.rows} * 32) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    const Launch how{
        .blocks = blocks_for(this->rows(), threads_ / 32), .threads = threads_, .stream = stream};
    form_.write(alpha, beta, y, [&]<class K, class Out>(const Out& out) {
      if (this->order())
        launch(how, Warps<T, O, Out, K, true>{this->a(), x, out, {this->order()}});
      else
        launch(how, Warps<T, O, Out, K, false>{this->a(), x, out, {}});
    });
  }

 private:
  int threads_;
  Form form_;
};

}  // namespace

Kernel gpu_csr_warp_per_row() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "warp-per-row",
          .determinism = Determinism::always,
          .source = "mazzucchi2025 algorithm 2",
          .summary = "a warp a row, summed by shuffles",
          .parameters = with_form({threads_parameter(block_threads), swizzle_parameter(0)}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<WarpPerRow>()};
}

}  // namespace nz::NZ_HOME
