#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "lab/peers/cusparse_spmvop_api.hpp"

// cusparseSpMVOp: z = alpha op(A) x + beta y, prepared in a plan. Another epilogue could be linked
// into it; this is the library's own.
namespace nz::lab::peers::cusparse {

// Throws Refused, with what there is and what it takes, where the library that was loaded has no
// such functions. Asks nothing of a device.
void require_spmvop();

// One operation by one algorithm, with descriptors and a buffer of its own.
class SpmvOp {
 public:
  struct How {
    Op op = Op::none;
    std::int64_t rows = 0, cols = 0;
    cudaDataType type = CUDA_R_32F;
    spmvop::Algorithm algorithm = spmvop::algorithm_1;
  };
  // Makes the product once, with vectors of zeros: what the library will not do, it says there.
  SpmvOp(const Handle& handle, Device device, Matrix matrix, const How& how);

  // y = alpha op(A) x + beta y. Queues only.
  template <Value T>
  void run(const Handle& handle, CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    multiply(handle.on(stream), &alpha, x, &beta, y);
  }
  std::size_t bytes() const { return buffer_.bytes(); }

 private:
  struct EndOf {
    void operator()(spmvop::Descr* d) const;
    void operator()(spmvop::Plan* p) const;
  };
  void multiply(cusparseHandle_t handle, const void* alpha, const void* x, const void* beta,
                void* y) const;

  Matrix matrix_;
  Vector x_, y_;
  DeviceArray<std::byte> buffer_;
  std::unique_ptr<spmvop::Descr, EndOf> descr_;
  std::unique_ptr<spmvop::Plan, EndOf> plan_;  // ends before what it was made of
};

}  // namespace nz::lab::peers::cusparse
