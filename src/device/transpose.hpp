#pragma once
#include <cstddef>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// The transpose of CSR that lies in the current device's memory, as CSR, made there: what
// nz::transpose makes on the host, bit for bit. Works on the default stream and waits for it. Needs
// 16 bytes and a value a nonzero for a while, beside what it keeps.
template <Value T, Offset O>
class DeviceTransposed {
 public:
  explicit DeviceTransposed(const CsrView<T, O>& a);

  const CsrView<T, O>& view() const { return view_; }
  std::size_t bytes() const { return offsets_.bytes() + columns_.bytes() + values_.bytes(); }

 private:
  CsrView<T, O> view_;
  DeviceArray<O> offsets_;
  DeviceArray<index_t> columns_;
  DeviceArray<T> values_;
};

}  // namespace nz::NZ_HOME
