#pragma once
#include <cstddef>
#include <span>

#include <nonzero/device.hpp>
#include <nonzero/formats/bsr.hpp>

#include "kernels/bsr_columns.hpp"
#include "kernels/gpu/device_csr.hpp"
#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// BlockColumns in the current device's memory, of BSR in host memory or there.
template <Offset O>
class DeviceBlockColumns {
 public:
  DeviceBlockColumns() = default;
  template <Value T>
  explicit DeviceBlockColumns(const BsrView<T, O>& a)
      : DeviceBlockColumns(current_device(), a.grid_rows(), a.grid_cols(), a.blocks, a.offsets,
                           a.columns) {}

  const O* starts() const { return starts_.data(); }
  const O* block() const { return block_.data(); }
  const index_t* row() const { return row_.data(); }
  std::size_t bytes() const { return starts_.bytes() + block_.bytes() + row_.bytes(); }

 private:
  DeviceBlockColumns(Device device, index_t grid_rows, index_t grid_cols, O blocks,
                     const O* offsets, const index_t* columns)
      : DeviceBlockColumns(device, here(device, grid_rows, grid_cols, blocks, offsets, columns)) {}
  DeviceBlockColumns(Device device, const BlockColumns<O>& c)
      : starts_(device, std::span<const O>(c.starts)),
        block_(device, std::span<const O>(c.block)),
        row_(device, std::span<const index_t>(c.row)) {}

  static BlockColumns<O> here(Device device, index_t grid_rows, index_t grid_cols, O blocks,
                              const O* offsets, const index_t* columns) {
    const HostOffsets<O> lines(device, offsets, static_cast<std::size_t>(grid_rows) + 1);
    if (blocks == 0) return columns_of(grid_rows, grid_cols, lines.span().data(), columns);
    const HostOffsets<index_t> places(device, columns, static_cast<std::size_t>(blocks));
    return columns_of(grid_rows, grid_cols, lines.span().data(), places.span().data());
  }

  DeviceArray<O> starts_, block_;
  DeviceArray<index_t> row_;
};

}  // namespace nz::NZ_HOME
