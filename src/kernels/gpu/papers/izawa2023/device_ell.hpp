#pragma once
#include <cstddef>
#include <span>

#include <nonzero/device.hpp>
#include <nonzero/formats/ell.hpp>

#include "kernels/gpu/padded/padded_rows.hpp"

namespace nz::NZ_HOME {

// A matrix as ELL in the current device's memory, and its products: a thread a row.
template <Value T>
class DeviceEll {
 public:
  explicit DeviceEll(const Ell<T>& a) : DeviceEll(current_device(), a) {}

  const EllView<T>& view() const { return view_; }
  std::size_t bytes() const { return columns_.bytes() + values_.bytes(); }

  // Queue y = alpha A x + beta y, and y += alpha A' x by atomics.
  void multiply(CUstream_st* stream, int threads, T alpha, const T* x, T beta, T* y) const;
  void add_transposed(CUstream_st* stream, int threads, T alpha, const T* x, T* y) const;

 private:
  DeviceEll(Device device, const Ell<T>& a)
      : view_(a.view()),
        columns_(device, std::span<const index_t>(a.columns)),
        values_(device, std::span<const T>(a.values)) {
    view_.columns = columns_.data();
    view_.values = values_.data();
  }

  EllView<T> view_;
  DeviceArray<index_t> columns_;
  DeviceArray<T> values_;
};

}  // namespace nz::NZ_HOME
