#include "kernels/gpu/padded/device_sell.hpp"
#include "kernels/padded_parameters.hpp"

// VCSR: Karimi, Bohm Agostini, Dong and Kaeli, VCSR: an efficient GPU memory-aware sparse format,
// IEEE TPDS 2022, the vertical compressed sparse row format that izawa2023 cites and takes its
// grouped reordering from. Rows are put in the order of their lengths and bundled; the entries of a
// bundle lie vertically, so that one step of its threads reads one line of the L1 cache, and a
// bundle is padded only to its own longest row. A line of 128 bytes has 32 floats or 16 doubles,
// which is the default of a bundle.
//
// This is the baseline format as izawa2023 §2.6 and §3.3.4 describe it; the variants VCSR-MEM and
// VCSR-INTRLV are not here. Its arrays are those of SELL whose window of sorting is the matrix.
namespace nz::NZ_HOME {
namespace {

template <class T, class O>
struct VcsrRows {
  static constexpr const char* name = "gpu/vcsr/thread-per-row";
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
class Vcsr {
 public:
  Vcsr(const CsrView<T, O>& a, const Parameters& p)
      : sell_(current_device(),
              sell_from_csr(HostCsr<T, O>(current_device(), a).view(), bundle(p),
                            std::max<index_t>(a.rows, 1), static_cast<double>(p.at("max_ratio")))),
        threads_(threads_for(a.rows, threads_of(p))) {}

  std::size_t bytes() const { return sell_.bytes(); }
  std::size_t matrix_bytes() const { return sell_.view().bytes(); }
  Facts facts() const {
    const SellView<T, O>& a = sell_.view();
    return {{"fill_ratio", slots_per_nonzero(std::int64_t{a.slots}, a.nnz)}};
  }
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    const SellView<T, O>& a = sell_.view();
    launch({.blocks = blocks_for(a.rows, threads_), .threads = threads_, .stream = stream},
           VcsrRows<T, O>{a, x, {alpha, beta, y}});
  }

 private:
  static index_t bundle(const Parameters& p) {
    const auto wanted = static_cast<index_t>(p.at("bundle"));
    return wanted > 0 ? wanted : static_cast<index_t>(128 / sizeof(T));
  }

  DeviceSell<T, O> sell_;
  int threads_;
};

}  // namespace

Kernel gpu_vcsr_thread_per_row() {
  return {
      .family = "gpu",
      .format = "vcsr",
      .strategy = "thread-per-row",
      .determinism = Determinism::always,
      .source = "VCSR: Karimi et al. 2022",
      .summary = "all rows sorted by length, a line of the cache a step of a bundle",
      .parameters = with_threads(
          {{"bundle", "rows of a bundle; 0: as many as a line of 128 bytes has values", 0, 0, 1024},
           max_ratio_parameter()}),
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Vcsr>()};
}

}  // namespace nz::NZ_HOME
