#pragma once
#include "kernels/gpu/printed_form.hpp"
#include "kernels/gpu/row_order.hpp"

// A thread a row, as mazzucchi2025 and izawa2023 both have it.
namespace nz::NZ_HOME {

// Rows and entries are counted as K.
template <class T, class O, class Out, class K, bool swizzled>
struct ThreadRows {
  static constexpr const char* name = "gpu/csr/thread-per-row";
  CsrView<T, O> a;
  const T* x;
  Out out;
  RowAt<swizzled> row_at{};
  NZ_DEVICE void operator()(Thread& t) const {
    const auto place = index_as<K>(t);
    if (place >= a.rows) return;
    const auto row = static_cast<K>(row_at(t, place));
    T sum = 0;
    for (auto k = static_cast<K>(a.offsets[row]); k < static_cast<K>(a.offsets[row + 1]); ++k)
      sum += a.values[k] * x[a.columns[k]];
    out.put(row, sum);
  }
};

template <class T, class O>
class ThreadPerRow : public OnOrderedCsr<T, O> {
 public:
  ThreadPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnOrderedCsr<T, O>(a, p), threads_(threads_of(p)), form_(p, std::int64_t{a.nnz} + a.rows) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    form_.write(alpha, beta, y, [&]<class K, class Out>(const Out& out) {
      if (this->order())
        launch(grid(stream), ThreadRows<T, O, Out, K, true>{this->a(), x, out, {this->order()}});
      else
        launch(grid(stream), ThreadRows<T, O, Out, K, false>{this->a(), x, out, {}});
    });
  }

 protected:
  Launch grid(CUstream_st* stream) const {
    return {.blocks = blocks_for(this->rows(), threads_), .threads = threads_, .stream = stream};
  }
  const Form& form() const { return form_; }

 private:
  int threads_;
  Form form_;
};

}  // namespace nz::NZ_HOME
