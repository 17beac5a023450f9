#pragma once
#include <cstddef>

#include <nonzero/device.hpp>
#include <nonzero/formats/bsr.hpp>

#include "kernels/bsr_columns.hpp"
#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// BlockColumns in the current device's memory, made there, of BSR that lies there. Beside its own
// arrays it needs about twice as much for a while.
template <Offset O>
class DeviceBlockColumns {
 public:
  DeviceBlockColumns() = default;
  template <Value T>
  explicit DeviceBlockColumns(const BsrView<T, O>& a)
      : DeviceBlockColumns(a.grid_rows(), a.grid_cols(), a.blocks, a.offsets, a.columns) {}
  DeviceBlockColumns(index_t grid_rows, index_t grid_cols, O blocks, const O* offsets,
                     const index_t* columns);

  const O* starts() const { return starts_.data(); }
  const O* block() const { return block_.data(); }
  const index_t* row() const { return row_.data(); }
  std::size_t bytes() const { return starts_.bytes() + block_.bytes() + row_.bytes(); }

 private:
  DeviceArray<O> starts_, block_;
  DeviceArray<index_t> row_;
};

}  // namespace nz::NZ_HOME
