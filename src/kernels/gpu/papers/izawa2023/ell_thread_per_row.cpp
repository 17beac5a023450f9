#include "kernels/gpu/papers/izawa2023/device_ell.hpp"
#include "kernels/padded_parameters.hpp"

// izawa2023 figures 2.15 and 2.16, but for two things: padding is not multiplied, and slots lie
// column by column, so that neighbouring threads read neighbours. As printed it is
// ell_thread_per_row_row_major.cpp.
namespace nz::NZ_HOME {
namespace {

template <class T>
NZ_DEVICE RowSlots<T> slots_of(const EllView<T>& a, std::int64_t row) {
  return {a.columns + row, a.values + row, a.rows, a.width};
}

template <class T>
struct EllRows {
  static constexpr const char* name = "gpu/ell/thread-per-row";
  EllView<T> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index();
    if (row < a.rows) out.put(row, sum_of_slots(t, slots_of(a, row), x));
  }
};

template <class T>
struct ScatteringEllRows {
  static constexpr const char* name = "gpu/ell/thread-per-row, transposed";
  EllView<T> a;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index();
    if (row < a.rows) scatter_slots(t, slots_of(a, row), alpha, t.load(x + row), y);
  }
};

Launch thread_per_row(CUstream_st* stream, index_t rows, int threads) {
  return {.blocks = blocks_for(rows, threads), .threads = threads, .stream = stream};
}

template <class T>
class EllThreadPerRow {
 public:
  template <Offset O>
  EllThreadPerRow(const CsrView<T, O>& a, const Parameters& p)
      : ell_(to_ell(HostCsr(current_device(), a).view(), p)),
        threads_(threads_for(a.rows, threads_of(p))) {}

  index_t rows() const { return ell_.view().rows; }
  index_t cols() const { return ell_.view().cols; }
  std::size_t bytes() const { return ell_.bytes(); }
  std::size_t matrix_bytes() const { return ell_.view().bytes(); }
  Facts facts() const {
    const EllView<T>& a = ell_.view();
    return {{"width", a.width},
            {"fill_ratio", slots_per_nonzero(static_cast<std::int64_t>(a.slots()), a.nnz)}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    ell_.multiply(stream, threads_, alpha, x, beta, y);
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, cols());
    ell_.add_transposed(stream, threads_, alpha, x, y);
  }

 private:
  DeviceEll<T> ell_;
  int threads_;
};

}  // namespace

template <Value T>
void DeviceEll<T>::multiply(CUstream_st* stream, int threads, T alpha, const T* x, T beta,
                            T* y) const {
  launch(thread_per_row(stream, view_.rows, threads), EllRows<T>{view_, x, {alpha, beta, y}});
}

template <Value T>
void DeviceEll<T>::add_transposed(CUstream_st* stream, int threads, T alpha, const T* x,
                                  T* y) const {
  launch(thread_per_row(stream, view_.rows, threads), ScatteringEllRows<T>{view_, alpha, x, y});
}

template class DeviceEll<float>;
template class DeviceEll<double>;

Kernel gpu_ell_thread_per_row() {
  return {.family = "gpu",
          .format = "ell",
          .strategy = "thread-per-row",
          .transposes = true,
          .determinism = Determinism::n_only,
          .source = "own",
          .summary = "a thread a row; transposed it adds its entries to y with atomics",
          .parameters = with_threads(ell_parameters()),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<EllThreadPerRow>()};
}

}  // namespace nz::NZ_HOME
