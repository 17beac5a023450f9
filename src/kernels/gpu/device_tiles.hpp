#pragma once
#include <cstddef>
#include <span>
#include <utility>

#include <nonzero/device.hpp>
#include <nonzero/formats/tiles.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/tile_convert.hpp"

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

// Tiles in the current device's memory: made by the host, or on the emulator by the device
// where CSR lies there already. Without the starts of rows and columns, which the heads have.
template <Value T>
class DeviceTiles {
 public:
  DeviceTiles() = default;
  template <Offset O>
  DeviceTiles(const CsrView<T, O>& a, int side_bits, TileHeads& heads)
      : b_(makes_there(current_device(), a) ? made_there(a, side_bits, heads)
                                            : made_here(a, side_bits, heads)) {
    b_.row_starts = {};
    b_.column_starts = {};
    b_.connect();
  }

  const TilesView<T>& view() const { return b_.view; }
  std::size_t bytes() const { return b_.bytes(); }

 private:
  // On a GPU the host makes them all: there it was run once, and did not end. What was wrong is
  // mended, and has not been run since.
  template <Offset O>
  static bool makes_there(Device device, const CsrView<T, O>& a) {
    return device.kind == Device::Kind::emulator && lies_on(device, a);
  }
  template <Offset O>
  static TileArrays<T> made_here(const CsrView<T, O>& a, int side_bits, TileHeads& heads) {
    const HostCsr<T, O> host(current_device(), a);
    Tiles<T> made = tiles_from_csr(host.view(), side_bits == 0 ? 0 : std::int64_t{1} << side_bits);
    const Device device = current_device();
    const auto there = [&]<class V>(const Array<V>& v) {
      return DeviceArray<V>(device, std::span<const V>(v));
    };
    const auto with_room = [&]<class V>(const Array<V>& v) {
      DeviceArray<V> copy = tile_entries<V>(device, v.size());
      copy.upload(v);
      return copy;
    };
    TileArrays<T> b{made.view(),
                    {},
                    {},
                    there(made.by_column),
                    there(made.tile_row),
                    there(made.tile_column),
                    there(made.first),
                    there(made.first_group),
                    there(made.group),
                    with_room(made.short_places),
                    with_room(made.long_places),
                    with_room(made.values)};
    heads = {std::move(made.row_starts), std::move(made.column_starts), std::move(made.by_column),
             std::move(made.first_group)};
    return b;
  }
  template <Offset O>
  static TileArrays<T> made_there(const CsrView<T, O>& a, int side_bits, TileHeads& heads) {
    TileArrays<T> b = tiles_on_device(a, side_bits);
    const auto here = []<class V>(const DeviceArray<V>& v) {
      Array<V> fetched(v.size());
      v.download(fetched);
      return fetched;
    };
    heads = {here(b.row_starts), here(b.column_starts), here(b.by_column), here(b.first_group)};
    return b;
  }

  TileArrays<T> b_;
};

}  // namespace nz::NZ_HOME
