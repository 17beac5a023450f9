#include "lab/peers/cusparse_spmm.hpp"

#include <algorithm>
#include <utility>

#include "simt/cuda_error.hpp"

namespace nz::lab::peers::cusparse {
namespace {

Dense dense_over(void* data, std::int64_t rows, const Spmm::How& how) {
  const bool by_rows = how.layout == Layout::row_major;
  cusparseDnMatDescr_t m = nullptr;
  check(cusparseCreateDnMat(&m, rows, how.vectors, by_rows ? how.vectors : rows, data, how.type,
                            by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
  return Dense(m);
}

}  // namespace

Spmm::Spmm(const Handle& handle, Device device, Matrix matrix, const How& how)
    : how_(how), matrix_(std::move(matrix)) {
  const std::int64_t in = how.op == Op::none ? how.cols : how.rows;
  const std::int64_t out = how.op == Op::none ? how.rows : how.cols;
  const std::size_t width = how.type == CUDA_R_32F ? sizeof(float) : sizeof(double);
  const auto bytes_of = [&](std::int64_t rows) {
    return static_cast<std::size_t>(rows * how.vectors) * width;
  };
  DeviceArray<std::byte> x(device, bytes_of(in)), y(device, bytes_of(out));
  simt::check_cuda(cudaMemsetAsync(x.data(), 0, x.bytes(), nullptr), "cudaMemsetAsync");
  x_ = dense_over(x.data(), in, how);
  y_ = dense_over(y.data(), out, how);

  const double one[] = {1, 0};
  const float one_f[] = {1, 0};
  const void* const alpha = width == sizeof(float) ? static_cast<const void*>(one_f) : one;
  const void* const beta = width == sizeof(float) ? static_cast<const void*>(one_f + 1) : one + 1;
  const cusparseHandle_t h = handle.on(nullptr);
  std::size_t bytes = 0;
  check(cusparseSpMM_bufferSize(h, operation(how.op), CUSPARSE_OPERATION_NON_TRANSPOSE, alpha,
                                matrix_.get(), x_.get(), beta, y_.get(), how.type, how.algorithm,
                                &bytes),
        "cusparseSpMM_bufferSize");
  buffer_ = {device, std::max<std::size_t>(bytes, 1)};
  check(cusparseSpMM_preprocess(h, operation(how.op), CUSPARSE_OPERATION_NON_TRANSPOSE, alpha,
                                matrix_.get(), x_.get(), beta, y_.get(), how.type, how.algorithm,
                                buffer_.data()),
        "cusparseSpMM_preprocess");
  multiply(h, alpha, x.data(), beta, y.data());
  simt::check_cuda(cudaStreamSynchronize(nullptr), "cusparseSpMM");
}

void Spmm::multiply(cusparseHandle_t handle, const void* alpha, const void* x, const void* beta,
                    void* y) const {
  check(cusparseDnMatSetValues(x_.get(), const_cast<void*>(x)), "cusparseDnMatSetValues");
  check(cusparseDnMatSetValues(y_.get(), y), "cusparseDnMatSetValues");
  // The buffer is the library's to write in.
  void* const buffer = const_cast<std::byte*>(buffer_.data());
  check(cusparseSpMM(handle, operation(how_.op), CUSPARSE_OPERATION_NON_TRANSPOSE, alpha,
                     matrix_.get(), x_.get(), beta, y_.get(), how_.type, how_.algorithm, buffer),
        "cusparseSpMM");
}

}  // namespace nz::lab::peers::cusparse
