#pragma once
#include <cstddef>

#include <nonzero/device.hpp>
#include <nonzero/formats/tiles.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/tile/convert.hpp"

namespace nz::NZ_HOME {

// What tasks are made of, in host memory.
struct TileHeads {
  Array<index_t> row_starts, column_starts, by_column;
  Array<std::int64_t> first_group;

  template <Value T>
  TilesView<T> here(TilesView<T> v) const {
    v.row_starts = row_starts.data();
    v.column_starts = column_starts.data();
    v.by_column = by_column.data();
    v.first_group = first_group.data();
    return v;
  }
};

// Tiles in the current device's memory, made there; CSR in host memory is copied for a while.
// Without the starts of rows and columns, which the heads have.
template <Value T>
class DeviceTiles {
 public:
  DeviceTiles() = default;
  template <Offset O>
  DeviceTiles(const CsrView<T, O>& a, int side_bits, TileHeads& heads) {
    const DeviceCsr<T, O> there(current_device(), a);
    b_ = tiles_on_device(there.view(), side_bits);
    const auto here = []<class V>(const DeviceArray<V>& v) {
      Array<V> fetched(v.size());
      v.download(fetched);
      return fetched;
    };
    heads = {here(b_.row_starts), here(b_.column_starts), here(b_.by_column), here(b_.first_group)};
    b_.row_starts = {};
    b_.column_starts = {};
    b_.connect();
  }

  const TilesView<T>& view() const { return b_.view; }
  std::size_t bytes() const { return b_.bytes(); }

 private:
  TileArrays<T> b_;
};

}  // namespace nz::NZ_HOME
