#pragma once
#include <cstdint>
#include <utility>
#include <vector>

// Both homes of a sort of keys with payloads on the current device.
#define NZ_SORT_THERE                                                                  \
  template <class Key, class Payload>                                                  \
  std::pair<std::vector<Key>, std::vector<Payload>> sort_there(                        \
      const std::vector<Key>& keys, const std::vector<Payload>& payloads, int end_bit, \
      int begin_bit);
namespace nz::cuda {
NZ_SORT_THERE
}
namespace nz::emulated {
NZ_SORT_THERE
}
#undef NZ_SORT_THERE
