#pragma once
#include <nonzero/device.hpp>
#include <nonzero/formats/bsr.hpp>

#include "kernels/bsr_columns.hpp"
#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// BlockColumns in the current device's memory, of BSR that lies there and whose blocks have numbers
// of 31 bits.
template <Offset O>
struct DeviceBlockColumns {
  DeviceArray<O> starts;
  DeviceArray<int> block;
  DeviceArray<index_t> row;
};

// Made there. Beside its own arrays it needs about twice as much for a while. Works on the default
// stream and waits for it.
template <Value T, Offset O>
DeviceBlockColumns<O> columns_on_device(const BsrView<T, O>& a);

}  // namespace nz::NZ_HOME
