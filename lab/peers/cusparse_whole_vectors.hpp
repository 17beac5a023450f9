#pragma once
#include <cuda_runtime_api.h>

#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

#include "simt/cuda_error.hpp"

namespace nz::lab::peers::cusparse {

// x and y of op in whole blocks where the matrix ends inside one: copies with zeros at the end.
template <Value T>
class WholeVectors {
 public:
  template <class Format>
  WholeVectors(Device device, const Format& f, Op op = Op::none) {
    DeviceArray<T>& of_cols = op == Op::none ? x_ : y_;
    DeviceArray<T>& of_rows = op == Op::none ? y_ : x_;
    if (f.described_cols() != f.cols()) of_cols = zeros(device, f.described_cols());
    if (f.described_rows() != f.rows()) of_rows = zeros(device, f.described_rows());
  }
  std::size_t bytes() const { return x_.bytes() + y_.bytes(); }

  // product(x, y) with vectors that are long enough. Queues only.
  template <class Product>
  void around(CUstream_st* stream, const T* x, index_t nx, T beta, T* y, index_t ny,
              Product&& product) const {
    T* const whole_x = const_cast<T*>(x_.data());
    T* const whole_y = const_cast<T*>(y_.data());
    if (whole_x) copy(whole_x, x, nx, stream);
    if (whole_y && beta != T(0)) copy(whole_y, y, ny, stream);
    product(whole_x ? whole_x : x, whole_y ? whole_y : y);
    if (whole_y) copy(y, whole_y, ny, stream);
  }

 private:
  static DeviceArray<T> zeros(Device device, std::int64_t n) {
    DeviceArray<T> v(device, static_cast<std::size_t>(n));
    simt::check_cuda(cudaMemsetAsync(v.data(), 0, v.bytes(), nullptr), "cudaMemsetAsync");
    simt::check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    return v;
  }
  static void copy(T* to, const T* from, index_t n, CUstream_st* stream) {
    simt::check_cuda(cudaMemcpyAsync(to, from, static_cast<std::size_t>(n) * sizeof(T),
                                     cudaMemcpyDeviceToDevice, stream),
                     "cudaMemcpyAsync");
  }
  DeviceArray<T> x_, y_;  // empty where the caller's will do
};

}  // namespace nz::lab::peers::cusparse
