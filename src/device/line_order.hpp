#pragma once
#include <cstdint>
#include <utility>

#include <nonzero/device.hpp>

#include "device/each.hpp"
#include "device/entry_keys.hpp"
#include "device/sort_scan.hpp"
#include "kernels/gpu/parts/search.hpp"

// Items, blocks or tiles, that lie in lines, such as columns of a grid: where lines begin, and
// which items they have.
namespace nz::NZ_HOME {

// starts[s] = the first of n items, of which none has a line before that of the one before it,
// whose line is s or a later one. For s from 0 to `lines`.
template <class S>
struct FindLines {
  static constexpr const char* name = "find lines";
  index_t lines;
  S n;
  const index_t* line;
  S* starts;
  NZ_DEVICE void operator()(Thread& t, std::int64_t s) const {
    starts[s] = s == lines ? n : first_from<S>(t, line, n, static_cast<index_t>(s), 0);
  }
};

struct NumberItems {
  static constexpr const char* name = "number items";
  const index_t* line;
  std::uint32_t* keys;
  index_t* numbers;
  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    keys[k] = static_cast<std::uint32_t>(t.load(line + k));
    numbers[k] = static_cast<index_t>(k);
  }
};

// Items by lines; those of one line as they were.
template <class S>
struct LineOrder {
  DeviceArray<S> starts;  // of each line, and the end
  DeviceArray<index_t> item;
};

// Of n items, fewer than 2^31, whose lines lie in the current device's memory. Needs twice what it
// makes for a while, on the default stream; the last of it is only queued.
template <class S>
LineOrder<S> order_by_line(S n, const index_t* line, index_t lines) {
  const Device device = current_device();
  const auto size = static_cast<std::size_t>(n);
  DeviceArray<std::uint32_t> keys[2] = {{device, size}, {device, size}};
  DeviceArray<index_t> items[2] = {{device, size}, {device, size}};
  // The same as signed and as unsigned ones.
  const auto plain = [](DeviceArray<index_t>& v) {
    return reinterpret_cast<std::uint32_t*>(v.data());
  };
  for_each(n, NumberItems{line, keys[0].data(), items[0].data()});
  const int sorted = sort_pairs<std::uint32_t, std::uint32_t>(
      n, {{keys[0].data(), keys[1].data()}, {plain(items[0]), plain(items[1])}}, bits_for(lines));
  LineOrder<S> by{{device, static_cast<std::size_t>(lines) + 1}, std::move(items[sorted])};
  const auto* in_order = reinterpret_cast<const index_t*>(keys[sorted].data());
  for_each(std::int64_t{lines} + 1, FindLines<S>{lines, n, in_order, by.starts.data()});
  return by;
}

}  // namespace nz::NZ_HOME
