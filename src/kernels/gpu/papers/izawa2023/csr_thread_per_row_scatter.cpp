#include "kernels/gpu/papers/mazzucchi2025/thread_per_row.hpp"

namespace nz::NZ_HOME {
namespace {

template <class T, class O, class Alpha, class K, bool swizzled>
struct ScatteringRows {
  static constexpr const char* name = "gpu/csr/thread-per-row-scatter, transposed";
  CsrView<T, O> a;
  Alpha alpha;
  const T* x;
  T* y;
  RowAt<swizzled> row_at{};
  NZ_DEVICE void operator()(Thread& t) const {
    const auto place = index_as<K>(t);
    if (place >= a.rows) return;
    const auto row = static_cast<K>(row_at(t, place));
    const auto end = static_cast<K>(a.offsets[row + 1]);
    for (auto k = static_cast<K>(a.offsets[row]); k < end; ++k)
      t.atomic_add(y + a.columns[k], alpha * (a.values[k] * x[row]));
  }
};

template <class T, class O>
class ThreadPerRowScatter : public ThreadPerRow<T, O> {
 public:
  using ThreadPerRow<T, O>::ThreadPerRow;
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->cols());
    this->form().add(alpha, [&]<class K, class Alpha>(Alpha factor) {
      if (this->order())
        launch(this->grid(stream),
               ScatteringRows<T, O, Alpha, K, true>{this->a(), factor, x, y, {this->order()}});
      else
        launch(this->grid(stream),
               ScatteringRows<T, O, Alpha, K, false>{this->a(), factor, x, y, {}});
    });
  }
};

}  // namespace

Kernel gpu_csr_thread_per_row_scatter() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "thread-per-row-scatter",
          .transposes = true,
          .determinism = Determinism::n_only,
          .source = "izawa2023 §2.5.2",
          .summary = "a thread a row; transposed it adds its entries to y with atomics",
          .parameters = with_form({threads_parameter(), swizzle_parameter(0)}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<ThreadPerRowScatter>()};
}

}  // namespace nz::NZ_HOME
