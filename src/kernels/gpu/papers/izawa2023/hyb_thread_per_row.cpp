#include "kernels/gpu/coo/segmented.hpp"
#include "kernels/gpu/papers/izawa2023/device_ell.hpp"
#include "kernels/padded_parameters.hpp"

// Bell and Garland's hybrid (izawa2023 §2.4.3): a thread a row of the ELL part, then what is left
// as segments of coordinates. Without an ELL part, and without the rest, one launch does.
namespace nz::NZ_HOME {
namespace {

template <class T>
class HybThreadPerRow {
 public:
  template <Offset O>
  HybThreadPerRow(const CsrView<T, O>& a, const Parameters& p)
      : HybThreadPerRow(to_hyb(HostCsr(current_device(), a).view(), p), threads_of(p)) {}

  index_t rows() const { return ell_.view().rows; }
  index_t cols() const { return ell_.view().cols; }
  std::size_t bytes() const { return ell_.bytes() + coo_.bytes() + rest_.bytes(); }
  simt::ScratchSize scratch_size() const { return rest_.scratch_size(); }
  std::size_t matrix_bytes() const {
    return ell_.view().bytes() + coo_.view().bytes() + rest_.bytes();
  }
  Facts facts() const {
    const std::int64_t nnz = ell_.view().nnz + coo_.view().nnz;
    return {
        {"width", ell_.view().width},
        {"coo_entries", static_cast<double>(coo_.view().nnz)},
        {"fill_ratio",
         slots_per_nonzero(static_cast<std::int64_t>(ell_.view().slots()) + coo_.view().nnz, nnz)}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    const bool two = ell_.view().width > 0;
    if (two) ell_.multiply(stream, threads_, alpha, x, beta, y);
    rest_.multiply(stream, alpha, x, two ? T(1) : beta, y, scratch);
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                           const simt::Scratch& scratch) const {
    scale(stream, beta, y, cols());
    if (ell_.view().width > 0) ell_.add_transposed(stream, threads_, alpha, x, y);
    rest_.multiply_transposed(stream, alpha, x, T(1), y, scratch);
  }

 private:
  HybThreadPerRow(const Hyb<T>& a, int threads)
      : ell_(a.ell),
        coo_(current_device(), a.coo),
        rest_(coo_.view(), threads),
        threads_(threads_for(a.rows, threads)) {}

  DeviceEll<T> ell_;
  DeviceCoo<T> coo_;
  CooSegments<T> rest_;
  int threads_;
};

}  // namespace

Kernel gpu_hyb_thread_per_row() {
  return {
      .family = "gpu",
      .format = "hyb",
      .strategy = "thread-per-row",
      .transposes = true,
      .determinism = Determinism::n_only,
      .source = "izawa2023 §2.4.3",
      .summary = "a thread a row of the ELL part, then the rest as segments; transposed by atomics",
      .parameters = with_threads(hyb_parameters()),
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<HybThreadPerRow>()};
}

}  // namespace nz::NZ_HOME
