#pragma once
#include <nonzero/device.hpp>
#include <nonzero/formats/tiles.hpp>

#include "device/room_behind.hpp"
#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// Room for n places or values of tiles: 8 more may be read.
template <class V>
DeviceArray<V> tile_entries(Device device, std::size_t n) {
  return n == 0 ? DeviceArray<V>(device, 0) : with_room_behind<V>(device, n, 8);
}

// The arrays of tiles in a device's memory; places and values are tile_entries().
template <Value T>
struct TileArrays {
  TilesView<T> view;
  DeviceArray<index_t> row_starts, column_starts, by_column, tile_row, tile_column;
  DeviceArray<std::int64_t> first, first_group;
  DeviceArray<std::uint8_t> group;
  DeviceArray<std::uint16_t> short_places, long_rows, long_columns;
  DeviceArray<T> values;

  std::size_t bytes() const {
    return row_starts.bytes() + column_starts.bytes() + by_column.bytes() + tile_row.bytes() +
           tile_column.bytes() + first.bytes() + first_group.bytes() + group.bytes() +
           short_places.bytes() + long_rows.bytes() + long_columns.bytes() + values.bytes();
  }
  // Once the arrays are there.
  void connect() {
    view.row_starts = row_starts.data();
    view.column_starts = column_starts.data();
    view.by_column = by_column.data();
    view.tile_row = tile_row.data();
    view.tile_column = tile_column.data();
    view.first = first.data();
    view.first_group = first_group.data();
    view.group = group.data();
    view.short_places = short_places.data();
    view.long_rows = long_rows.data();
    view.long_columns = long_columns.data();
    view.values = values.data();
  }
};

// tiles_from_csr for a matrix that lies in the current device's memory, made there: the same
// arrays. side_bits = 0: by the matrix, of which some strips are fetched. Works on the default
// stream and waits for it. Beside the tiles it needs about 16 bytes and a value a nonzero for a
// while, at first 16 and two.
template <Value T, Offset O>
TileArrays<T> tiles_on_device(const CsrView<T, O>& a, int side_bits);

}  // namespace nz::NZ_HOME
