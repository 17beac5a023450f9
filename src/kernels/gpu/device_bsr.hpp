#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/bsr.hpp>

#include "kernels/bsr_parameters.hpp"
#include "kernels/gpu/gpu_product.hpp"

namespace nz::NZ_HOME {

// A matrix as BSR in the current device's memory, made by the host. Values begin at a multiple of
// 16 bytes, and 16 bytes behind their end may be read.
template <Value T, Offset O>
class DeviceBsr {
 public:
  explicit DeviceBsr(const Bsr<T, O>& a) : DeviceBsr(current_device(), a) {}
  DeviceBsr(Device device, const Bsr<T, O>& a)
      : view_(a.view()),
        offsets_(device, std::span<const O>(a.offsets)),
        columns_(device, std::span<const index_t>(a.columns)),
        values_(device, a.values.size() + 16 / sizeof(T)) {
    if (a.values.size() > 0)
      simt::backend(device).copy(values_.data(), a.values.data(), a.values.size() * sizeof(T),
                                 nullptr);
    view_.offsets = offsets_.data();
    view_.columns = columns_.data();
    view_.values = values_.data();
  }

  const BsrView<T, O>& view() const { return view_; }
  std::size_t bytes() const { return offsets_.bytes() + columns_.bytes() + values_.bytes(); }

 private:
  BsrView<T, O> view_;
  DeviceArray<O> offsets_;
  DeviceArray<index_t> columns_;
  DeviceArray<T> values_;
};

// The base of strategies that multiply BSR.
template <Value T, Offset O>
class OnBsr {
 public:
  explicit OnBsr(const Bsr<T, O>& a) : bsr_(a) {}
  OnBsr(const CsrView<T, O>& a, const Parameters& p)
      : OnBsr(to_bsr(HostCsr<T, O>(current_device(), a).view(), p)) {}

  const BsrView<T, O>& a() const { return bsr_.view(); }
  index_t rows() const { return a().rows; }
  index_t cols() const { return a().cols; }
  std::size_t bytes() const { return bsr_.bytes(); }
  bool borrows() const { return false; }
  std::size_t matrix_bytes() const { return a().bytes(); }
  Facts facts() const { return bsr_facts(a()); }

 private:
  DeviceBsr<T, O> bsr_;
};

}  // namespace nz::NZ_HOME
