#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <nonzero/device.hpp>
#include <nonzero/error.hpp>
#include <nonzero/formats/csr.hpp>

#include "simt/backend.hpp"

namespace nz {

// Whether a matrix lies in the device's memory, rather than in the host's. Throws InvalidArgument
// for one that lies in both.
template <Value T, Offset O>
bool lies_on(Device device, const CsrView<T, O>& a) {
  simt::Backend& b = simt::backend(device);
  const bool there = b.owns(a.offsets);
  if (a.nnz > 0 && (b.owns(a.columns) != there || b.owns(a.values) != there))
    throw InvalidArgument("offsets, columns and values of a matrix lie in different memories");
  return there;
}

// A CSR matrix in a device's memory: copied there, or borrowed where it is there already.
template <Value T, Offset O>
class DeviceCsr {
 public:
  DeviceCsr(Device device, const CsrView<T, O>& a) : view_(a) {
    if (lies_on(device, a)) return;
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

// A CSR matrix where the host can read it: in place, or copied from the device.
template <Value T, Offset O>
class HostCsr {
 public:
  HostCsr(Device device, const CsrView<T, O>& a) : view_(a) {
    if (!lies_on(device, a)) return;
    const auto fetch = [&](auto& to, const auto* from, std::size_t n) {
      to = std::remove_reference_t<decltype(to)>(n);
      if (n > 0) detail::device_copy(device, to.data(), from, n * sizeof(*from), {});
      return to.data();
    };
    const auto nnz = static_cast<std::size_t>(a.nnz);
    view_.offsets = fetch(offsets_, a.offsets, static_cast<std::size_t>(a.rows) + 1);
    view_.columns = fetch(columns_, a.columns, nnz);
    view_.values = fetch(values_, a.values, nnz);
  }
  HostCsr(const HostCsr&) = delete;
  HostCsr& operator=(const HostCsr&) = delete;
  const CsrView<T, O>& view() const { return view_; }

 private:
  CsrView<T, O> view_;
  Array<O> offsets_;
  Array<index_t> columns_;
  Array<T> values_;
};

// The offsets of a matrix in host or device memory where the host can read them: in place, or
// copied from the device.
template <Offset O>
class HostOffsets {
 public:
  HostOffsets(Device device, const O* offsets, std::size_t n) : span_(offsets, n) {
    if (!simt::backend(device).owns(offsets)) return;
    copy_ = Array<O>(n);
    detail::device_copy(device, copy_.data(), offsets, n * sizeof(O), {});
    span_ = copy_;
  }
  HostOffsets(const HostOffsets&) = delete;
  HostOffsets& operator=(const HostOffsets&) = delete;
  std::span<const O> span() const { return span_; }

 private:
  Array<O> copy_;
  std::span<const O> span_;
};

template <Value T, Offset O>
HostOffsets<O> host_offsets(Device device, const CsrView<T, O>& a) {
  return {device, a.offsets, static_cast<std::size_t>(a.rows) + 1};
}

}  // namespace nz
