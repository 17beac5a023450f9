#pragma once
#include <cstddef>
#include <span>

#include <nonzero/device.hpp>
#include <nonzero/formats/tiles.hpp>

#include "kernels/gpu/gpu_product.hpp"

namespace nz::NZ_HOME {

// Tiles in the current device's memory. Copies of whole pieces may read some entries behind the
// last.
template <Value T>
class DeviceTiles {
 public:
  DeviceTiles() = default;
  explicit DeviceTiles(const Tiles<T>& a) : view_(a.view()) {
    const Device device = current_device();
    const auto there = [&]<class V>(DeviceArray<V>& mine, const Array<V>& theirs) {
      mine = {device, std::span<const V>(theirs)};
      return static_cast<const V*>(mine.data());
    };
    view_.row_starts = view_.column_starts = nullptr;  // the tasks have them
    view_.by_column = there(by_column_, a.by_column);
    view_.tile_row = there(tile_row_, a.tile_row);
    view_.tile_column = there(tile_column_, a.tile_column);
    view_.first = there(first_, a.first);
    view_.first_group = there(first_group_, a.first_group);
    view_.group = there(group_, a.group);
    const auto with_room = [&]<class V>(DeviceArray<V>& mine, const Array<V>& theirs) {
      if (theirs.size() == 0) return static_cast<const V*>(nullptr);
      mine = {device, theirs.size() + 8};
      simt::backend(device).copy(mine.data(), theirs.data(), theirs.size() * sizeof(V), nullptr);
      return static_cast<const V*>(mine.data());
    };
    view_.short_places = with_room(short_places_, a.short_places);
    view_.long_places = with_room(long_places_, a.long_places);
    view_.values = with_room(values_, a.values);
  }

  const TilesView<T>& view() const { return view_; }
  std::size_t bytes() const {
    return by_column_.bytes() + tile_row_.bytes() + tile_column_.bytes() + first_.bytes() +
           first_group_.bytes() + group_.bytes() + short_places_.bytes() + long_places_.bytes() +
           values_.bytes();
  }

 private:
  TilesView<T> view_;
  DeviceArray<index_t> by_column_, tile_row_, tile_column_;
  DeviceArray<std::int64_t> first_, first_group_;
  DeviceArray<std::uint8_t> group_;
  DeviceArray<std::uint16_t> short_places_;
  DeviceArray<std::uint32_t> long_places_;
  DeviceArray<T> values_;
};

}  // namespace nz::NZ_HOME
