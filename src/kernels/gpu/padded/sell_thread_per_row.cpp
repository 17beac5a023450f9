#include "kernels/gpu/padded/device_sell.hpp"
#include "kernels/padded_parameters.hpp"

// SELL-C-sigma: a thread a position of the sorted order, so that a warp's rows are about as long.
// With a chunk of 32, a slice is a warp.
namespace nz::NZ_HOME {
namespace {

template <class T, class O>
struct SellRows {
  static constexpr const char* name = "gpu/sell/thread-per-row";
  SellView<T, O> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t position = t.global_index();
    if (position >= a.rows) return;
    const SellPlace<T> p = place_of(t, a, static_cast<index_t>(position));
    out.put(p.row, sum_of_slots(t, p.slots, x));
  }
};

template <class T, class O>
struct ScatteringSellRows {
  static constexpr const char* name = "gpu/sell/thread-per-row, transposed";
  SellView<T, O> a;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t position = t.global_index();
    if (position >= a.rows) return;
    const SellPlace<T> p = place_of(t, a, static_cast<index_t>(position));
    scatter_slots(t, p.slots, alpha, t.load(x + p.row), y);
  }
};

template <class T, class O>
class SellThreadPerRow {
 public:
  SellThreadPerRow(const CsrView<T, O>& a, const Parameters& p)
      : sell_(current_device(), to_sell(HostCsr(current_device(), a).view(), p)),
        threads_(threads_for(a.rows, threads_of(p))) {}

  index_t rows() const { return a().rows; }
  index_t cols() const { return a().cols; }
  std::size_t bytes() const { return sell_.bytes(); }
  std::size_t matrix_bytes() const { return a().bytes(); }
  Facts facts() const {
    return {{"fill_ratio", slots_per_nonzero(std::int64_t{a().slots}, a().nnz)}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch(grid(stream), SellRows<T, O>{a(), x, {alpha, beta, y}});
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, cols());
    launch(grid(stream), ScatteringSellRows<T, O>{a(), alpha, x, y});
  }

 private:
  const SellView<T, O>& a() const { return sell_.view(); }
  Launch grid(CUstream_st* stream) const {
    return {.blocks = blocks_for(rows(), threads_), .threads = threads_, .stream = stream};
  }

  DeviceSell<T, O> sell_;
  int threads_;
};

}  // namespace

Kernel gpu_sell_thread_per_row() {
  return {.family = "gpu",
          .format = "sell",
          .strategy = "thread-per-row",
          .transposes = true,
          .determinism = Determinism::n_only,
          .source = "own",
          .summary = "a thread a row, rows of a warp about as long; transposed by atomics",
          .parameters = with_threads(sell_parameters()),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<SellThreadPerRow>()};
}

}  // namespace nz::NZ_HOME
