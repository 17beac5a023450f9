#pragma once
#include "kernels/gpu/gpu_product.hpp"

// A thread a row, as mazzucchi2025 and izawa2023 both have it.
namespace nz::NZ_HOME {

template <class T, class O>
struct ThreadRows {
  static constexpr const char* name = "gpu/csr/thread-per-row";
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index();
    if (row >= a.rows) return;
    T sum = 0;
    for (O k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    out.put(row, sum);
  }
};

template <class T, class O>
class ThreadPerRow : public OnCsr<T, O> {
 public:
  ThreadPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a), threads_(threads_of(p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch(grid(stream), ThreadRows<T, O>{this->a(), x, {alpha, beta, y}});
  }

 protected:
  Launch grid(CUstream_st* stream) const {
    return {.blocks = blocks_for(this->rows(), threads_), .threads = threads_, .stream = stream};
  }

 private:
  int threads_;
};

}  // namespace nz::NZ_HOME
