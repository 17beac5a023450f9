#pragma once
#include "kernels/gpu/bare_output.hpp"
#include "kernels/gpu/row_order.hpp"

// A thread a row, as mazzucchi2025 and izawa2023 both have it.
namespace nz::NZ_HOME {

template <class T, class O, class Out = Output<T>, bool swizzled = false>
struct ThreadRows {
  static constexpr const char* name = "gpu/csr/thread-per-row";
  CsrView<T, O> a;
  const T* x;
  Out out;
  RowAt<swizzled> row_at{};
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t place = t.global_index();
    if (place >= a.rows) return;
    const std::int64_t row = row_at(t, place);
    T sum = 0;
    for (O k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    out.put(row, sum);
  }
};

template <class T, class O>
class ThreadPerRow : public OnOrderedCsr<T, O> {
 public:
  ThreadPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnOrderedCsr<T, O>(a, p), threads_(threads_of(p)) {
    if (const auto given = p.find("bare"); given != p.end()) bare_ = given->second != 0;
  }
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (this->order())
      launch(grid(stream),
             ThreadRows<T, O, Output<T>, true>{this->a(), x, {alpha, beta, y}, {this->order()}});
    else if (is_bare(bare_, alpha, beta))
      launch(grid(stream), ThreadRows<T, O, BareOutput<T>>{this->a(), x, {y}});
    else
      launch(grid(stream), ThreadRows<T, O>{this->a(), x, {alpha, beta, y}});
  }

 protected:
  Launch grid(CUstream_st* stream) const {
    return {.blocks = blocks_for(this->rows(), threads_), .threads = threads_, .stream = stream};
  }

 private:
  int threads_;
  bool bare_ = false;
};

}  // namespace nz::NZ_HOME
