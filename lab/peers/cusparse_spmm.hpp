#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/dense.hpp>

#include "lab/peers/cusparse.hpp"

// cusparseSpMM: Y = alpha op(A) X + beta Y for several vectors.
namespace nz::lab::peers::cusparse {

struct EndDense {
  void operator()(cusparseDnMatDescr_t m) const { cusparseDestroyDnMat(m); }
};
using Dense = std::unique_ptr<cusparseDnMatDescr, EndDense>;

// One operation by one algorithm on so many vectors in one layout, made ready once: descriptors,
// buffer, and what cusparseSpMM_preprocess finds out.
class Spmm {
 public:
  struct How {
    Op op = Op::none;
    std::int64_t rows = 0, cols = 0;  // of the matrix as described
    std::int64_t vectors = 1;
    Layout layout = Layout::row_major;
    cudaDataType type = CUDA_R_32F;
    cusparseSpMMAlg_t algorithm = CUSPARSE_SPMM_ALG_DEFAULT;
  };
  // Makes the product once, with vectors of zeros: what the library will not do, it says there.
  Spmm(const Handle& handle, Device device, Matrix matrix, const How& how);

  // X and Y without gaps. Queues only.
  template <Value T>
  void run(const Handle& handle, CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    multiply(handle.on(stream), &alpha, x, &beta, y);
  }
  std::size_t bytes() const { return buffer_.bytes(); }

 private:
  void multiply(cusparseHandle_t handle, const void* alpha, const void* x, const void* beta,
                void* y) const;

  How how_;
  Matrix matrix_;
  Dense x_, y_;
  DeviceArray<std::byte> buffer_;
};

}  // namespace nz::lab::peers::cusparse
