#include <limits>

#include "kernels/gpu/papers/messa2025/row_lists.hpp"

namespace nz::NZ_HOME {
namespace {

// Deliverable 1, which the paper does not print, had two classes, the long rows a warp each
// (messa2025 §V-B4 and §V-C), and, as we read §V-A, atomics where shuffles came later. The first
// blocks take the short rows.
template <class T, class O>
struct TwoClasses {
  static constexpr const char* name = "gpu/csr/hybrid-plain";
  CsrView<T, O> a;
  RowLists rows;
  int short_blocks;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < short_blocks) {
      const std::int64_t i = t.global_index();
      if (i < rows.shorts) add_part(t, rows.short_rows[i], 0, 1);
    } else {
      const std::int64_t i = std::int64_t{t.block() - short_blocks} * t.warps() + t.warp();
      if (i < rows.mediums) add_part(t, rows.medium_rows[i], t.lane(), 32);
    }
  }
  NZ_DEVICE void add_part(Thread& t, index_t row, int first, int stride) const {
    const std::int64_t begin = a.offsets[row] + std::int64_t{first}, end = a.offsets[row + 1];
    if (begin >= end) return;
    T sum = 0;
    for (std::int64_t k = begin; k < end; k += stride) sum += a.values[k] * x[a.columns[k]];
    if (stride == 1)
      y[row] += alpha * sum;
    else
      t.atomic_add(y + row, alpha * sum);
  }
};

template <class T, class O>
class HybridPlain : public OnRowLists<T, O> {
 public:
  HybridPlain(const CsrView<T, O>& a, const Parameters& p)
      : OnRowLists<T, O>(a, p.at("short"), std::numeric_limits<std::int64_t>::max()),
        threads_(threads_of(p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->rows());
    const RowLists& lists = this->lists();
    const int shorts = blocks_for(lists.shorts, threads_);
    const int longs = blocks_for(lists.mediums, threads_ / 32);
    launch({.blocks = shorts + longs, .threads = threads_, .stream = stream},
           TwoClasses<T, O>{this->a(), lists, shorts, alpha, x, y});
  }

 private:
  int threads_;
};

}  // namespace

Kernel gpu_csr_hybrid_plain() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "hybrid-plain",
          .source = "messa2025 Deliverable 1",
          .summary = "short rows to threads, long ones to warps whose lanes add to y",
          .parameters = {threads_parameter(), short_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<HybridPlain>()};
}

}  // namespace nz::NZ_HOME
