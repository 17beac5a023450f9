#include <concepts>
#include <memory>
#include <vector>

#include "kernels/gpu/gpu_product.hpp"
#include "lab/peers/cusparse.hpp"
#include "lab/peers/cusparse_blocks.hpp"
#include "lab/peers/cusparse_whole_vectors.hpp"

// The library's older product of BSR, for as long as it has it.
namespace nz::lab::peers {
#if CUSPARSE_VER_MAJOR < 13
namespace cusparse {
namespace {

template <class T>
constexpr auto bsrmv = [] {
  if constexpr (std::same_as<T, float>)
    return &cusparseSbsrmv;
  else
    return &cusparseDbsrmv;
}();

struct EndGeneral {
  void operator()(cusparseMatDescr_t d) const { cusparseDestroyMatDescr(d); }
};
using General = std::unique_ptr<cusparseMatDescr, EndGeneral>;

General make_general() {
  cusparseMatDescr_t d = nullptr;
  check(cusparseCreateMatDescr(&d), "cusparseCreateMatDescr");  // general, from zero
  return General(d);
}

template <class T, class O>
class Bsrmv {
 public:
  Bsrmv(const CsrView<T, O>& a, const Parameters& p)
      : a_(cuda::current_device(), a, p),
        whole_(cuda::current_device(), a_),
        general_(make_general()) {
    if (a_.slots() == 0) return;
    // Once with zeros: what the library will not do, it says here.
    const Device device = cuda::current_device();
    DeviceArray<T> x(device, static_cast<std::size_t>(a_.described_cols()));
    DeviceArray<T> y(device, static_cast<std::size_t>(a_.described_rows()));
    simt::check_cuda(cudaMemsetAsync(x.data(), 0, x.bytes(), nullptr), "cudaMemsetAsync");
    run(nullptr, T(1), x.data(), T(0), y.data());
    simt::check_cuda(cudaStreamSynchronize(nullptr), call);
  }

  index_t rows() const { return a_.rows(); }
  index_t cols() const { return a_.cols(); }
  std::size_t bytes() const { return a_.bytes() + whole_.bytes(); }
  bool borrows() const { return false; }
  Facts facts() const { return a_.facts(); }
  std::size_t matrix_bytes() const { return a_.matrix_bytes(Op::none); }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (a_.slots() == 0) return cuda::scale(stream, beta, y, rows());
    whole_.around(stream, x, cols(), beta, y, rows(),
                  [&](const T* from, T* to) { run(stream, alpha, from, beta, to); });
  }

 private:
  static constexpr const char* call = sizeof(T) == 4 ? "cusparseSbsrmv" : "cusparseDbsrmv";
  void run(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    const auto& s = a_.shape();
    check(bsrmv<T>(handle_.on(stream), CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE,
                   s.grid_rows(), s.grid_cols(), s.blocks, &alpha, general_.get(), a_.values(),
                   a_.offsets(), a_.columns(), s.block_rows, x, &beta, y),
          call);
  }

  BsrFormat<T, O> a_;
  WholeVectors<T> whole_;
  General general_;
  Handle handle_;
};

}  // namespace
}  // namespace cusparse

std::vector<Kernel> cusparse_bsrmv() {
  using namespace cusparse;
  using I = std::int32_t;
  return {{.family = "peer",
           .format = "cusparse",
           .strategy = "bsrmv",
           .source = version(),
           .summary = "cusparse?bsrmv, the older call; square blocks row by row",
           .parameters = {{"block", "rows and columns of a block", 2, 2, 1024}, max_ratio()},
           .runs_on = Device::Kind::cuda,
           .prepare = {cuda::prepare_gpu_one<Bsrmv<float, I>, float, I>, nullptr,
                       cuda::prepare_gpu_one<Bsrmv<double, I>, double, I>, nullptr},
           .with_fill = with_bsr_fill,
           .fit = fit_square}};
}
#else
std::vector<Kernel> cusparse_bsrmv() { return {}; }
#endif

}  // namespace nz::lab::peers
