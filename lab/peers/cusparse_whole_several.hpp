#pragma once
#include <cuda_runtime_api.h>

#include <nonzero/dense.hpp>
#include <nonzero/device.hpp>
#include <nonzero/types.hpp>

#include "simt/cuda_error.hpp"

namespace nz::lab::peers::cusparse {

// X and Y of op in whole blocks where the matrix ends inside one: copies with zeros at the end, as
// WholeVectors has them for one vector.
template <Value T>
class WholeSeveral {
 public:
  template <class Format>
  WholeSeveral(Device device, const Format& f, Op op, index_t vectors, Layout layout)
      : vectors_(vectors),
        by_rows_(layout == Layout::row_major),
        x_rows_(op == Op::none ? f.cols() : f.rows()),
        y_rows_(op == Op::none ? f.rows() : f.cols()),
        whole_x_rows_(op == Op::none ? f.described_cols() : f.described_rows()),
        whole_y_rows_(op == Op::none ? f.described_rows() : f.described_cols()) {
    if (whole_x_rows_ != x_rows_) x_ = zeros(device, whole_x_rows_);
    if (whole_y_rows_ != y_rows_) y_ = zeros(device, whole_y_rows_);
  }
  std::size_t bytes() const { return x_.bytes() + y_.bytes(); }

  // product(x, y) with vectors that are long enough. Queues only.
  template <class Product>
  void around(CUstream_st* stream, const T* x, T beta, T* y, Product&& product) const {
    T* const whole_x = const_cast<T*>(x_.data());
    T* const whole_y = const_cast<T*>(y_.data());
    if (whole_x) copy(whole_x, whole_x_rows_, x, x_rows_, x_rows_, stream);
    if (whole_y && beta != T(0)) copy(whole_y, whole_y_rows_, y, y_rows_, y_rows_, stream);
    product(whole_x ? whole_x : x, whole_y ? whole_y : y);
    if (whole_y) copy(y, y_rows_, whole_y, whole_y_rows_, y_rows_, stream);
  }

 private:
  DeviceArray<T> zeros(Device device, std::int64_t rows) const {
    DeviceArray<T> v(device, static_cast<std::size_t>(rows * vectors_));
    simt::check_cuda(cudaMemsetAsync(v.data(), 0, v.bytes(), nullptr), "cudaMemsetAsync");
    simt::check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    return v;
  }
  // `rows` of each vector, from vectors of from_rows to those of to_rows.
  void copy(T* to, std::int64_t to_rows, const T* from, std::int64_t from_rows, std::int64_t rows,
            CUstream_st* stream) const {
    const auto bytes = [](std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(T); };
    const cudaError_t status =
        by_rows_
            ? cudaMemcpyAsync(to, from, bytes(rows * vectors_), cudaMemcpyDeviceToDevice, stream)
            : cudaMemcpy2DAsync(to, bytes(to_rows), from, bytes(from_rows), bytes(rows),
                                static_cast<std::size_t>(vectors_), cudaMemcpyDeviceToDevice,
                                stream);
    simt::check_cuda(status, "cudaMemcpyAsync");
  }

  std::int64_t vectors_;
  bool by_rows_;
  std::int64_t x_rows_, y_rows_, whole_x_rows_, whole_y_rows_;
  DeviceArray<T> x_, y_;  // empty where the caller's will do
};

}  // namespace nz::lab::peers::cusparse
