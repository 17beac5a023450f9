#pragma once
#include <cstdint>
#include <utility>

#include <nonzero/device.hpp>

#include "kernels/gpu/parts/long_rows.hpp"

// Equal work for every block, whatever the rows. Rows and entries of a CSR matrix lie on one path
// (a step for the row, one for each of its entries), and a tile has the whole rows that begin on
// its `size` steps: empty rows count too, and no tile gets millions of them. Rows of more than
// `most` entries are left out of the tiles and cut into pieces. So a tile has at most size + most
// entries and shares no row with another; only the pieces of one long row have to be put together.
namespace nz::NZ_HOME {

class BalancedTiles {
 public:
  BalancedTiles() = default;  // none
  // The matrix is on the current device; its rows of more than `most` entries go to `longs`, in
  // pieces of so many entries (LongRows).
  template <Value T, Offset O>
  BalancedTiles(const CsrView<T, O>& a, int size, std::int64_t most, int piece,
                LongRows<T>& longs) {
    const Device device = current_device();
    const std::int64_t steps = static_cast<std::int64_t>(a.nnz) + a.rows;
    RowCuts<O> cuts({a.offsets, a.rows, most, LongRows<T>::piece_for(a.nnz, piece), size,
                     blocks_for(steps, size), true});
    count_ = cuts.totals().tiles;
    if (cuts.plain()) {
      counted_ = cuts.take();
      longs = {};
      return;
    }
    tiles_ = {device, static_cast<std::size_t>(count_)};
    gaps_ = {device, static_cast<std::size_t>(cuts.totals().longs)};
    longs.take(cuts, tiles_.data(), gaps_.data());
  }

  int tiles() const { return count_; }
  const Tile* tile_list() const {
    return counted_.size() > 0 ? &counted_.data()->counted : tiles_.data();
  }
  const LongRowGap* gap_list() const { return gaps_.data(); }
  std::size_t bytes() const { return counted_.bytes() + tiles_.bytes() + gaps_.bytes(); }

 private:
  int count_ = 0;
  DeviceArray<CutTile> counted_;  // these are the tiles, or
  DeviceArray<Tile> tiles_;
  DeviceArray<LongRowGap> gaps_;
};

}  // namespace nz::NZ_HOME
