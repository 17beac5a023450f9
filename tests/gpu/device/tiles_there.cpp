#include "gpu/device/tiles_there.hpp"

#include <nonzero/device.hpp>

#include "base/instantiate.hpp"
#include "kernels/gpu/tile/convert.hpp"

namespace nz::NZ_HOME {

template <class T, class O>
Tiles<T> tiles_there(const CsrView<T, O>& a, int side_bits) {
  const TileArrays<T> b = tiles_on_device(a, side_bits);
  const auto here = []<class V>(const DeviceArray<V>& v) {
    Array<V> fetched(v.size());
    v.download(fetched);
    return fetched;
  };
  const auto entries = [&]<class V>(const DeviceArray<V>& v) {  // without the room behind them
    Array<V> fetched(v.size() == 0 ? 0 : static_cast<std::size_t>(b.view.nnz));
    v.download(fetched);
    return fetched;
  };
  return {b.view.rows,           b.view.cols,
          b.view.side_bits,      here(b.row_starts),
          here(b.column_starts), here(b.by_column),
          here(b.tile_row),      here(b.tile_column),
          here(b.first),         here(b.first_group),
          here(b.group),         entries(b.short_places),
          entries(b.long_rows),  entries(b.long_columns),
          entries(b.values)};
}

#define NZ_INSTANTIATE(T, O) template Tiles<T> tiles_there(const CsrView<T, O>&, int);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
