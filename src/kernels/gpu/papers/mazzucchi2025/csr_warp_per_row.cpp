#include "kernels/gpu/papers/mazzucchi2025/block_threads.hpp"
#include "kernels/gpu/bare_output.hpp"
#include "kernels/gpu/row_order.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

// Entries are counted as K.
template <class T, class O, class Out = Output<T>, class K = std::int64_t, bool swizzled = false>
struct Warps {
  static constexpr const char* name = "gpu/csr/warp-per-row";
  CsrView<T, O> a;
  const T* x;
  Out out;
  RowAt<swizzled> row_at{};
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t place = t.global_index() / 32;
    if (place >= a.rows) return;  // the whole warp
    const std::int64_t row = row_at(t, place);
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
        bare_(p.at("bare") != 0 && counts_in_32_bits(a.nnz)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    const Launch how{
        .blocks = blocks_for(this->rows(), threads_ / 32), .threads = threads_, .stream = stream};
    if (this->order())
      launch(how, Warps<T, O, Output<T>, std::int64_t, true>{
                      this->a(), x, {alpha, beta, y}, {this->order()}});
    else if (is_bare(bare_, alpha, beta))
      launch(how, Warps<T, O, BareOutput<T>, std::int32_t>{this->a(), x, {y}});
    else
      launch(how, Warps<T, O>{this->a(), x, {alpha, beta, y}});
  }

 private:
  int threads_;
  bool bare_;
};

}  // namespace

Kernel gpu_csr_warp_per_row() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "warp-per-row",
          .determinism = Determinism::always,
          .source = "mazzucchi2025 algorithm 2",
          .summary = "a warp a row, summed by shuffles",
          .parameters = {threads_parameter(block_threads),
                         bare_parameter("1: where alpha is 1, beta 0, swizzle 0 and 32 bits count "
                                        "the entries, a kernel without scalars"),
                         swizzle_parameter(0)},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<WarpPerRow>()};
}

}  // namespace nz::NZ_HOME
