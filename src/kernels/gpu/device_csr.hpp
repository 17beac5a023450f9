#pragma once
#include <cstddef>
#include <cstdint>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "simt/backend.hpp"

namespace nz {

// A CSR matrix in a device's memory: copied there, or borrowed where it is there already.
template <Value T, Offset O>
class DeviceCsr {
 public:
  DeviceCsr(Device device, const CsrView<T, O>& a) : view_(a) {
    if (simt::backend(device).owns(a.offsets)) return;
    borrowed_ = false;
    const auto nnz = static_cast<std::size_t>(a.nnz);
    offsets_ = {device, std::span(a.offsets, static_cast<std::size_t>(a.rows) + 1)};
    columns_ = {device, std::span(a.columns, nnz)};
    values_ = {device, std::span(a.values, nnz)};
    view_.offsets = offsets_.data();
    view_.columns = columns_.data();
    view_.values = values_.data();
  }

  const CsrView<T, O>& view() const { return view_; }
  bool borrowed() const { return borrowed_; }
  // What it holds itself.
  std::size_t bytes() const { return offsets_.bytes() + columns_.bytes() + values_.bytes(); }

 private:
  CsrView<T, O> view_;
  bool borrowed_ = true;
  DeviceArray<O> offsets_;
  DeviceArray<index_t> columns_;
  DeviceArray<T> values_;
};

}  // namespace nz
