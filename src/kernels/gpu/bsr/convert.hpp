#pragma once
#include <nonzero/device.hpp>
#include <nonzero/formats/bsr.hpp>

#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// The arrays of BSR in a device's memory. 32 bytes behind the last value may be read.
template <Value T, Offset O>
struct BsrArrays {
  BsrView<T, O> view;
  DeviceArray<O> offsets;
  DeviceArray<index_t> columns;
  DeviceArray<T> values;

  std::size_t bytes() const { return offsets.bytes() + columns.bytes() + values.bytes(); }
  // Once the arrays are there.
  void connect() {
    view.offsets = offsets.data();
    view.columns = columns.data();
    view.values = values.data();
  }
};

// bsr_from_csr for a matrix that lies in the current device's memory, made there: the same arrays,
// the same refusals. Works on the default stream and waits for it. Beside BSR itself it needs
// nnz / 4 bytes for a while.
template <Value T, Offset O>
BsrArrays<T, O> bsr_on_device(const CsrView<T, O>& a, index_t block_rows, index_t block_cols,
                              double max_ratio);

}  // namespace nz::NZ_HOME
