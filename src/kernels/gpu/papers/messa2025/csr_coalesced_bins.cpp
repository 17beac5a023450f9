#include "kernels/gpu/papers/messa2025/row_loops.hpp"
#include "kernels/row_groups.hpp"

namespace nz::NZ_HOME {
namespace {

// Deliverable 1 (messa2025 §V-B3): neighbouring threads take neighbouring nonzeros of the warp's
// bin, search the row of each and add to y.
template <class T, class O>
struct SearchingBins {
  static constexpr const char* name = "gpu/csr/coalesced-bins-plain";
  CsrView<T, O> a;
  const index_t* bins;
  index_t bin_count;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t bin = t.global_index() / 32;
    if (bin >= bin_count) return;
    const index_t first = bins[bin], last = bins[bin + 1];
    const std::int64_t end = a.offsets[last];
    for (std::int64_t k = a.offsets[first] + std::int64_t{t.lane()}; k < end; k += 32)
      t.atomic_add(y + row_of(k, first, last), alpha * (a.values[k] * x[a.columns[k]]));
  }
  // The last row of low to high that begins at k or before.
  NZ_DEVICE index_t row_of(std::int64_t k, index_t low, index_t high) const {
    while (high - low > 1) {
      const index_t middle = low + (high - low) / 2;
      (a.offsets[middle] <= k ? low : high) = middle;
    }
    return low;
  }
};

template <class T, class O>
struct WalkingBins {
  static constexpr const char* name = "gpu/csr/coalesced-bins";
  CsrView<T, O> a;
  const index_t* bins;
  index_t bin_count;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t bin = t.global_index() / 32; bin < bin_count; bin += t.global_size() / 32) {
      const index_t last = t.load(bins + bin + 1);
      for (index_t row = t.load(bins + bin); row < last; ++row) {
        const T sum = warp_row_sum(t, a, x, row);
        if (t.lane() == 0) out.put(row, sum);
      }
    }
  }
};

template <class T, class O>
class Bins : public OnCsr<T, O> {
 public:
  std::size_t bytes() const { return OnCsr<T, O>::bytes() + bins_.bytes(); }
  std::size_t matrix_bytes() const { return OnCsr<T, O>::matrix_bytes() + bins_.bytes(); }

 protected:
  Bins(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        bins_(current_device(),
              bin_rows(host_offsets(current_device(), a).span(), p.at("bin_size"))) {}
  const index_t* bins() const { return bins_.data(); }
  index_t count() const { return static_cast<index_t>(bins_.size() - 1); }
  int threads() const { return threads_; }
  int blocks_needed() const { return blocks_for(count(), threads_ / 32); }

 private:
  int threads_;
  DeviceArray<index_t> bins_;
};

template <class T, class O>
class CoalescedBinsPlain : public Bins<T, O> {
 public:
  CoalescedBinsPlain(const CsrView<T, O>& a, const Parameters& p) : Bins<T, O>(a, p) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->rows());
    launch({.blocks = this->blocks_needed(), .threads = this->threads(), .stream = stream},
           SearchingBins<T, O>{this->a(), this->bins(), this->count(), alpha, x, y});
  }
};

template <class T, class O>
class CoalescedBins : public Bins<T, O> {
 public:
  CoalescedBins(const CsrView<T, O>& a, const Parameters& p)
      : Bins<T, O>(a, p),
        blocks_(stride_blocks<WalkingBins<T, O>>(this->blocks_needed(), this->threads(), 0, p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch({.blocks = blocks_, .threads = this->threads(), .stream = stream},
           WalkingBins<T, O>{this->a(), this->bins(), this->count(), x, {alpha, beta, y}});
  }

 private:
  int blocks_;
};

Parameter bin_size_parameter() {
  return {"bin_size", "entries that a warp's bin of rows has at most", 256, 1, 1 << 20};
}

}  // namespace

Kernel gpu_csr_coalesced_bins() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "coalesced-bins",
          .determinism = Determinism::always,
          .source = "messa2025 §V-B3",
          .summary = "a warp a bin of rows, one row after the other, summed by shuffles",
          .parameters = {threads_parameter(), bin_size_parameter(), oversubscription_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<CoalescedBins>()};
}

Kernel gpu_csr_coalesced_bins_plain() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "coalesced-bins-plain",
          .source = "messa2025 Deliverable 1",
          .summary = "a warp a bin of rows, each thread searching the rows of its entries",
          .parameters = {threads_parameter(), bin_size_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<CoalescedBinsPlain>()};
}

}  // namespace nz::NZ_HOME
