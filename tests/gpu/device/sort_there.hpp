#pragma once
#include <cstdint>
#include <utility>
#include <vector>

// Both homes of a sort of keys with things on the current device.
#define NZ_SORT_THERE                                         \
  template <class Key, class Thing>                           \
  std::pair<std::vector<Key>, std::vector<Thing>> sort_there( \
      const std::vector<Key>& keys, const std::vector<Thing>& things, int bits, int without);
namespace nz::cuda {
NZ_SORT_THERE
}
namespace nz::emulated {
NZ_SORT_THERE
}
#undef NZ_SORT_THERE
