#include "lab/peers/cusparse_spmvop.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "simt/cuda_error.hpp"
#include "lab/peers/late_library.hpp"

namespace nz::lab::peers::cusparse {
namespace {

LateLibrary loaded("libcusparse");
const LateFunction<spmvop::BufferSize> buffer_size(loaded, "cusparseSpMVOp_bufferSize");
const LateFunction<spmvop::CreateDescr> create_descr(loaded, "cusparseSpMVOp_createDescr");
const LateFunction<spmvop::DestroyDescr> destroy_descr(loaded, "cusparseSpMVOp_destroyDescr");
const LateFunction<spmvop::CreatePlan> create_plan(loaded, "cusparseSpMVOp_createPlan");
const LateFunction<spmvop::DestroyPlan> destroy_plan(loaded, "cusparseSpMVOp_destroyPlan");
const LateFunction<spmvop::Multiply> multiply_op(loaded, "cusparseSpMVOp");

}  // namespace

void require_spmvop() {
  // A version that has the names may have other arguments behind them, so they are not enough.
  if (loaded_version() < spmvop::first_version)
    throw Refused(
        fmt::format("not available: {} has no cusparseSpMVOp with algorithms, which came "
                    "with 12.8.1; docs/peers.md says how to run with a newer library",
                    version()));
  const auto require = [](const auto&... function) {
    const auto one = [](const auto& f) {
      if (!f.is_there())
        throw Refused(fmt::format("not available: {} has no {}", version(), f.name()));
    };
    (one(function), ...);
  };
  require(buffer_size, create_descr, destroy_descr, create_plan, destroy_plan, multiply_op);
}

void SpmvOp::EndOf::operator()(spmvop::Descr* d) const { destroy_descr(d); }
void SpmvOp::EndOf::operator()(spmvop::Plan* p) const { destroy_plan(p); }

SpmvOp::SpmvOp(const Handle& handle, Device device, Matrix matrix, const How& how)
    : matrix_(std::move(matrix)) {
  const std::int64_t in = how.op == Op::none ? how.cols : how.rows;
  const std::int64_t out = how.op == Op::none ? how.rows : how.cols;
  const std::size_t width = how.type == CUDA_R_32F ? sizeof(float) : sizeof(double);
  DeviceArray<std::byte> x(device, static_cast<std::size_t>(in) * width);
  DeviceArray<std::byte> y(device, static_cast<std::size_t>(out) * width);
  simt::check_cuda(cudaMemsetAsync(x.data(), 0, x.bytes(), nullptr), "cudaMemsetAsync");
  x_ = vector_over(x.data(), in, how.type);
  y_ = vector_over(y.data(), out, how.type);

  const cusparseHandle_t h = handle.on(nullptr);
  std::size_t bytes = 0;
  // What it adds to and what it writes are the same vector.
  check(buffer_size(h, operation(how.op), matrix_.get(), x_.get(), y_.get(), y_.get(), how.type,
                    how.algorithm, &bytes),
        "cusparseSpMVOp_bufferSize");
  buffer_ = {device, std::max<std::size_t>(bytes, 1)};
  spmvop::Descr* descr = nullptr;
  check(create_descr(h, &descr, operation(how.op), matrix_.get(), x_.get(), y_.get(), y_.get(),
                     how.type, how.algorithm, buffer_.data()),
        "cusparseSpMVOp_createDescr");
  descr_.reset(descr);
  spmvop::Plan* plan = nullptr;
  check(create_plan(h, descr, &plan, nullptr, 0), "cusparseSpMVOp_createPlan");
  plan_.reset(plan);

  const double one[] = {1, 0};
  const float one_f[] = {1, 0};
  const void* const alpha = width == sizeof(float) ? static_cast<const void*>(one_f) : one;
  const void* const beta = width == sizeof(float) ? static_cast<const void*>(one_f + 1) : one + 1;
  multiply(h, alpha, x.data(), beta, y.data());
  simt::check_cuda(cudaStreamSynchronize(nullptr), "cusparseSpMVOp");
}

void SpmvOp::multiply(cusparseHandle_t handle, const void* alpha, const void* x, const void* beta,
                      void* y) const {
  check(cusparseDnVecSetValues(x_.get(), const_cast<void*>(x)), "cusparseDnVecSetValues");
  check(cusparseDnVecSetValues(y_.get(), y), "cusparseDnVecSetValues");
  check(multiply_op(handle, plan_.get(), alpha, beta, x_.get(), y_.get(), y_.get()),
        "cusparseSpMVOp");
}

}  // namespace nz::lab::peers::cusparse
