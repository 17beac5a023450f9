#include "lab/peers/cusparse.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "simt/backend.hpp"
#include "simt/cuda_error.hpp"

namespace nz::lab::peers::cusparse {
namespace {

// Handles by device that no product has now. They stay to the end of the program.
struct Idle {
  std::mutex guard;
  std::map<int, std::vector<cusparseHandle_t>> handles;
};
Idle& idle() {
  static auto& all = *new Idle;
  return all;
}

}  // namespace

Version loaded_version() {
  Version v;
  cusparseGetProperty(MAJOR_VERSION, &v.major);
  cusparseGetProperty(MINOR_VERSION, &v.minor);
  cusparseGetProperty(PATCH_LEVEL, &v.patch);
  return v;
}

std::string_view version() {
  static const std::string text = [] {
    const Version v = loaded_version();
    return fmt::format("cuSPARSE {}.{}.{}", v.major, v.minor, v.patch);
  }();
  return text;
}

void check(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  const std::string text =
      fmt::format("{}: {}: {}", version(), call, cusparseGetErrorString(status));
  switch (status) {
    case CUSPARSE_STATUS_ALLOC_FAILED:
    case CUSPARSE_STATUS_INSUFFICIENT_RESOURCES:
      throw NoResource(text);
    // Versions differ in which of these they answer for a layout or a type that they do not have.
    case CUSPARSE_STATUS_NOT_SUPPORTED:
    case CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
    case CUSPARSE_STATUS_ARCH_MISMATCH:
    case CUSPARSE_STATUS_INVALID_VALUE:
      throw Refused(text);
    default:
      throw DeviceFault(text);
  }
}

Vector vector_over(void* data, std::int64_t n, cudaDataType type) {
  cusparseDnVecDescr_t v = nullptr;
  check(cusparseCreateDnVec(&v, n, data, type), "cusparseCreateDnVec");
  return Vector(v);
}

Handle::Handle() : device_(simt::current_cuda_device()) {
  {
    const std::lock_guard lock(idle().guard);
    auto& mine = idle().handles[device_];
    if (!mine.empty()) {
      handle_ = mine.back();
      mine.pop_back();
      return;
    }
    // Room to come back to, so that giving back cannot fail.
    mine.reserve(mine.capacity() + 1);
  }
  check(cusparseCreate(&handle_), "cusparseCreate");
}

Handle::~Handle() {
  const std::lock_guard lock(idle().guard);
  idle().handles.find(device_)->second.push_back(handle_);
}

cusparseHandle_t Handle::on(CUstream_st* stream) const {
  check(cusparseSetStream(handle_, stream), "cusparseSetStream");
  return handle_;
}

Spmv::Spmv(const Handle& handle, Device device, Matrix matrix, const How& how)
    : how_(how), matrix_(std::move(matrix)) {
  const std::int64_t in = how.op == Op::none ? how.cols : how.rows;
  const std::int64_t out = how.op == Op::none ? how.rows : how.cols;
  const std::size_t width = how.type == CUDA_R_32F ? sizeof(float) : sizeof(double);
  DeviceArray<std::byte> x(device, static_cast<std::size_t>(in) * width);
  DeviceArray<std::byte> y(device, static_cast<std::size_t>(out) * width);
  simt::check_cuda(cudaMemsetAsync(x.data(), 0, x.bytes(), nullptr), "cudaMemsetAsync");
  x_ = vector_over(x.data(), in, how.type);
  y_ = vector_over(y.data(), out, how.type);

  const double one[] = {1, 0};
  const float one_f[] = {1, 0};
  const void* const alpha = width == sizeof(float) ? static_cast<const void*>(one_f) : one;
  const void* const beta = width == sizeof(float) ? static_cast<const void*>(one_f + 1) : one + 1;
  const cusparseHandle_t h = handle.on(nullptr);
  std::size_t bytes = 0;
  check(cusparseSpMV_bufferSize(h, operation(how.op), alpha, matrix_.get(), x_.get(), beta,
                                y_.get(), how.type, how.algorithm, &bytes),
        "cusparseSpMV_bufferSize");
  buffer_ = {device, std::max<std::size_t>(bytes, 1)};
  if (how.preprocess)
    check(cusparseSpMV_preprocess(h, operation(how.op), alpha, matrix_.get(), x_.get(), beta,
                                  y_.get(), how.type, how.algorithm, buffer_.data()),
          "cusparseSpMV_preprocess");
  multiply(h, alpha, x.data(), beta, y.data());
  simt::check_cuda(cudaStreamSynchronize(nullptr), "cusparseSpMV");
}

void Spmv::multiply(cusparseHandle_t handle, const void* alpha, const void* x, const void* beta,
                    void* y) const {
  check(cusparseDnVecSetValues(x_.get(), const_cast<void*>(x)), "cusparseDnVecSetValues");
  check(cusparseDnVecSetValues(y_.get(), y), "cusparseDnVecSetValues");
  // The buffer is the library's to write in.
  void* const buffer = const_cast<std::byte*>(buffer_.data());
  check(cusparseSpMV(handle, operation(how_.op), alpha, matrix_.get(), x_.get(), beta, y_.get(),
                     how_.type, how_.algorithm, buffer),
        "cusparseSpMV");
}

}  // namespace nz::lab::peers::cusparse
