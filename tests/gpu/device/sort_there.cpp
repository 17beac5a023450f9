#include "gpu/device/sort_there.hpp"

#include <span>

#include "device/sort_scan.hpp"

namespace nz::NZ_HOME {

template <class Key, class Thing>
std::pair<std::vector<Key>, std::vector<Thing>> sort_there(const std::vector<Key>& keys,
                                                           const std::vector<Thing>& things,
                                                           int bits, int without) {
  const Device device = current_device();
  DeviceArray<Key> k[2] = {{device, std::span<const Key>(keys)}, {device, keys.size()}};
  DeviceArray<Thing> v[2] = {{device, std::span<const Thing>(things)}, {device, things.size()}};
  const int sorted = sort_pairs<Key, Thing>(
      static_cast<std::int64_t>(keys.size()),
      {{k[0].data(), k[1].data()}, {v[0].data(), v[1].data()}}, bits, without);
  std::pair<std::vector<Key>, std::vector<Thing>> result{keys, things};
  k[sorted].download(result.first);
  v[sorted].download(result.second);
  return result;
}

#define NZ_INSTANTIATE(Key, Thing)                                     \
  template std::pair<std::vector<Key>, std::vector<Thing>> sort_there( \
      const std::vector<Key>&, const std::vector<Thing>&, int, int);
NZ_INSTANTIATE(std::uint32_t, std::uint32_t)
NZ_INSTANTIATE(std::uint64_t, std::uint32_t)
NZ_INSTANTIATE(std::uint64_t, std::uint64_t)

}  // namespace nz::NZ_HOME
