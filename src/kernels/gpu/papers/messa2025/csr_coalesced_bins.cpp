#include "kernels/gpu/papers/messa2025/launch_bounds.hpp"
#include "kernels/gpu/papers/messa2025/row_loops.hpp"

namespace nz::NZ_HOME {
namespace {

// Deliverable 1 (messa2025 §V-B3), from its program: neighbouring threads take neighbouring
// nonzeros of the warp's bin, go through the bin's rows for that of each, and add to y.
template <class T, class O, class Alpha, class K>
struct SearchingBins {
  static constexpr const char* name = "gpu/csr/coalesced-bins-plain";
  static constexpr bool unbounded = true;
  CsrView<T, O> a;
  const index_t* bins;
  index_t bin_count;
  Alpha alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto bin = index_as<K>(t) / 32;
    if (bin >= bin_count) return;
    const index_t first = bins[bin], last = bins[bin + 1];
    const auto end = static_cast<K>(a.offsets[last]);
    for (auto k = static_cast<K>(static_cast<K>(a.offsets[first]) + t.lane()); k < end; k += 32) {
      index_t row = first;
      while (k >= static_cast<K>(a.offsets[row + 1]) && row < last - 1) ++row;
      t.atomic_add(y + row, alpha * (a.values[k] * t.load(x + a.columns[k])));
    }
  }
};

template <class T, class O, class Out, class K>
struct WalkingBins {
  static constexpr const char* name = "gpu/csr/coalesced-bins";
  static constexpr Loop paper_loop = Loop::unrolled;
  CsrView<T, O> a;
  const index_t* bins;
  index_t bin_count;
  const T* x;
  Out out;
  template <Loop loop>
  NZ_DEVICE void work(Thread& t) const {
    over_rows(t, [&](index_t row) { return warp_row_sum<loop, K>(t, a, x, row); });
  }
  // Lane 0 has the sum of the row.
  template <class Sum>
  NZ_DEVICE void over_rows(Thread& t, Sum&& sum_of) const {
    for (auto bin = index_as<K>(t) / 32; bin < bin_count; bin += size_as<K>(t) / 32) {
      const index_t last = t.load(bins + bin + 1);
      for (index_t row = t.load(bins + bin); row < last; ++row) {
        const T sum = sum_of(row);
        if (t.lane() == 0) out.put(row, sum);
      }
    }
  }
};

template <class T, class O, class Out, class K>
struct BufferingBins {
  static constexpr const char* name = "gpu/csr/coalesced-bins-shared";
  static constexpr bool unbounded = true;
  WalkingBins<T, O, Out, K> bins;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto parts = t.shared<T>(t.block_size());
    bins.over_rows(t, [&](index_t row) {
      return sum_in_shared(t, parts,
                           row_sum<Loop::unrolled, K>(t, bins.a, bins.x, row, t.lane(), 32));
    });
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
        bins_(current_device(), bin_rows(host_offsets(current_device(), a).span(), p.at("bin_size"),
                                         p.at("bin_rows"))) {}
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
  CoalescedBinsPlain(const CsrView<T, O>& a, const Parameters& p)
      : Bins<T, O>(a, p), form_(form_for(a, p, this->blocks_needed(), this->threads())) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->rows());
    form_.add(alpha, [&]<class K, class Alpha>(Alpha factor) {
      launch({.blocks = this->blocks_needed(), .threads = this->threads(), .stream = stream},
             SearchingBins<T, O, Alpha, K>{this->a(), this->bins(), this->count(), factor, x, y});
    });
  }

 private:
  Form form_;
};

template <class T, class O>
class CoalescedBins : public Bins<T, O> {
 public:
  CoalescedBins(const CsrView<T, O>& a, const Parameters& p)
      : Bins<T, O>(a, p), kernel_(a, p, stride_blocks(this->blocks_needed(), p), this->threads()) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    kernel_.launch(stream, alpha, beta, y, body(x));
  }
  Facts facts() const { return kernel_.template facts<T>(body(nullptr)); }

 private:
  auto body(const T* x) const {
    return [this, x]<class K, class Out>(const Out& out) {
      return WalkingBins<T, O, Out, K>{this->a(), this->bins(), this->count(), x, out};
    };
  }
  BoundedKernel kernel_;
};

template <class T, class O>
class CoalescedBinsShared : public Bins<T, O> {
 public:
  CoalescedBinsShared(const CsrView<T, O>& a, const Parameters& p)
      : Bins<T, O>(a, p),
        blocks_(stride_blocks(this->blocks_needed(), p)),
        form_(form_for(a, p, blocks_, this->threads())) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    form_.write(alpha, beta, y, [&]<class K, class Out>(const Out& out) {
      launch({.blocks = blocks_,
              .threads = this->threads(),
              .shared_bytes = static_cast<std::size_t>(this->threads()) * sizeof(T),
              .stream = stream},
             BufferingBins<T, O, Out, K>{{this->a(), this->bins(), this->count(), x, out}});
    });
  }

 private:
  int blocks_;
  Form form_;
};

Parameter bin_size_parameter() {
  return {"bin_size", "entries that a warp's bin of rows has at most", 64, 1, 1 << 20};
}
// Beyond the paper: its bins may have any number of empty rows.
Parameter bin_rows_parameter() {
  return {"bin_rows", "rows that a warp's bin has at most; 0: any number", 0, 0, 1 << 20};
}

}  // namespace

Kernel gpu_csr_coalesced_bins() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "coalesced-bins",
          .determinism = Determinism::always,
          .source = "messa2025 §V-B3",
          .summary = "a warp a bin of rows, one row after the other, summed by shuffles",
          .parameters = with_form({threads_parameter(256, 256), bin_size_parameter(),
                                   bin_rows_parameter(), launch_bounds_parameter(0),
                                   rolled_parameter(), blocks_per_sm_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<CoalescedBins>()};
}

Kernel gpu_csr_coalesced_bins_plain() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "coalesced-bins-plain",
          .source = "messa2025 Deliverable 1",
          .summary = "a warp a bin of rows, each thread searching the rows of its entries",
          .parameters = with_adding_form(
              {threads_parameter(256, 256), bin_size_parameter(), bin_rows_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<CoalescedBinsPlain>()};
}

Kernel gpu_csr_coalesced_bins_shared() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "coalesced-bins-shared",
          .determinism = Determinism::always,
          .source = "messa2025 §V-C",
          .summary = "coalesced-bins, rows summed in shared memory",
          .parameters = with_form({threads_parameter(256, 256), bin_size_parameter(),
                                   bin_rows_parameter(), blocks_per_sm_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<CoalescedBinsShared>()};
}

}  // namespace nz::NZ_HOME
