#pragma once
#include <cstddef>
#include <cstdint>

#include "device/value_readers.hpp"

// How a warp reads the values of a slice of SELL.
namespace nz::NZ_HOME {

// A table of at most 32 values, one in each lane: all of them ask at the same time.
template <class T>
class TableOfLanes {
 public:
  using Stored = std::uint8_t;
  static constexpr int most = 32;
  NZ_DEVICE TableOfLanes(Thread& t, const T* table) : mine_(t.load(table + t.lane())) {}
  NZ_DEVICE Stored load(Thread& t, const std::byte* values, std::int64_t i) const {
    return t.load_streaming(reinterpret_cast<const Stored*>(values) + i);
  }
  NZ_DEVICE T value(Thread& t, Stored stored) const { return t.shuffle(mine_, stored); }

 private:
  T mine_;
};

// act<Reader>() for values in this code, so many of which differ.
template <class T, class Act>
void with_slice_reader(ValueCode code, int different, Act&& act) {
  if (code == ValueCode::table && different <= TableOfLanes<T>::most)
    return act.template operator()<TableOfLanes<T>>();
  for_code<T>(code, [&]<ValueCode c>() { act.template operator()<ValueReader<T, c>>(); });
}

}  // namespace nz::NZ_HOME
