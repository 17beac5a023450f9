#pragma once
// Silences warnings about deprecated calls: what is to go in the next version is still measured in
// this one.
#define DISABLE_CUSPARSE_DEPRECATED
// Newer headers declare cusparseSpMVOp only so.
#define CUSPARSE_ENABLE_EXPERIMENTAL_API
#include <cusparse.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tuple>

#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

// cuSPARSE's handles and descriptors as objects, its statuses as exceptions.
namespace nz::lab::peers::cusparse {

// "cuSPARSE 12.6.3", of the library that was loaded.
std::string_view version();
struct Version {
  int major = 0, minor = 0, patch = 0;
  friend bool operator<(const Version& a, const Version& b) {
    return std::tie(a.major, a.minor, a.patch) < std::tie(b.major, b.minor, b.patch);
  }
};
Version loaded_version();

// Throws, with the call and the library's own words: Refused for what this version does not take,
// NoResource when memory is short, DeviceFault for the rest.
void check(cusparseStatus_t status, const char* call);

// A handle of the current device that nobody else uses meanwhile. Given back, it waits for the next
// product: to make one takes milliseconds, which are no part of preparing a matrix.
class Handle {
 public:
  Handle();
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  cusparseHandle_t on(CUstream_st* stream) const;

 private:
  int device_ = 0;
  cusparseHandle_t handle_ = nullptr;
};

struct End {
  void operator()(cusparseConstSpMatDescr_t m) const { cusparseDestroySpMat(m); }
  void operator()(cusparseDnVecDescr_t v) const { cusparseDestroyDnVec(v); }
};
using Matrix = std::unique_ptr<const cusparseSpMatDescr, End>;
using Vector = std::unique_ptr<cusparseDnVecDescr, End>;

// n elements at `data`; it is set to others before each product.
Vector vector_over(void* data, std::int64_t n, cudaDataType type);

constexpr cusparseOperation_t operation(Op op) {
  return op == Op::none ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE;
}

template <Value T>
inline constexpr cudaDataType type_of = std::same_as<T, float> ? CUDA_R_32F : CUDA_R_64F;
template <Offset O>
inline constexpr cusparseIndexType_t index_type_of = sizeof(O) == 4 ? CUSPARSE_INDEX_32I
                                                                    : CUSPARSE_INDEX_64I;

// One operation by one algorithm, with a matrix descriptor and a buffer of its own: a descriptor
// that was preprocessed for one and then used for another need not be right.
class Spmv {
 public:
  struct How {
    Op op = Op::none;
    std::int64_t rows = 0, cols = 0;  // of the matrix as described
    cudaDataType type = CUDA_R_32F;
    cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_ALG_DEFAULT;
    bool preprocess = false;
  };
  // Makes the product once, with vectors of zeros: what the library will not do, it says there.
  Spmv(const Handle& handle, Device device, Matrix matrix, const How& how);

  // y = alpha op(A) x + beta y. Queues only.
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
  Vector x_, y_;
  DeviceArray<std::byte> buffer_;
};

}  // namespace nz::lab::peers::cusparse
