#pragma once
#include <span>

#include <nonzero/formats/sell.hpp>

#include "kernels/gpu/padded/padded_rows.hpp"

namespace nz::NZ_HOME {

// The slots at a position, and the row that they are of.
template <class T>
struct SellPlace {
  RowSlots<T> slots;
  index_t row;
};

template <class T, class O>
NZ_DEVICE SellPlace<T> place_of(Thread& t, const SellView<T, O>& a, index_t position) {
  const index_t slice = position / a.chunk, lane = position - slice * a.chunk;
  const index_t left = a.rows - slice * a.chunk, lanes = left < a.chunk ? left : a.chunk;
  const std::int64_t begin = t.load(a.offsets + slice), end = t.load(a.offsets + slice + 1);
  return {{a.columns + begin + lane, a.values + begin + lane, lanes,
           static_cast<index_t>((end - begin) / lanes)},
          t.load(a.permutation + position)};
}

// A matrix as SELL in a device's memory.
template <Value T, Offset O>
class DeviceSell {
 public:
  DeviceSell(Device device, const Sell<T, O>& a)
      : view_(a.view()),
        offsets_(device, std::span<const O>(a.offsets)),
        permutation_(device, std::span<const index_t>(a.permutation)),
        columns_(device, std::span<const index_t>(a.columns)),
        values_(device, std::span<const T>(a.values)) {
    view_.offsets = offsets_.data();
    view_.permutation = permutation_.data();
    view_.columns = columns_.data();
    view_.values = values_.data();
  }
  const SellView<T, O>& view() const { return view_; }
  std::size_t bytes() const {
    return offsets_.bytes() + permutation_.bytes() + columns_.bytes() + values_.bytes();
  }

 private:
  SellView<T, O> view_;
  DeviceArray<O> offsets_;
  DeviceArray<index_t> permutation_, columns_;
  DeviceArray<T> values_;
};

}  // namespace nz::NZ_HOME
