#include "gpu/device/sort_there.hpp"

#include <span>

#include "device/sort_scan.hpp"

namespace nz::NZ_HOME {

template <class Key, class Payload>
std::pair<std::vector<Key>, std::vector<Payload>> sort_there(const std::vector<Key>& keys,
                                                             const std::vector<Payload>& payloads,
                                                             int end_bit, int begin_bit) {
  const Device device = current_device();
  DeviceArray<Key> k[2] = {{device, std::span<const Key>(keys)}, {device, keys.size()}};
  DeviceArray<Payload> v[2] = {{device, std::span<const Payload>(payloads)},
                               {device, payloads.size()}};
  const int sorted = sort_pairs<Key, Payload>(
      static_cast<std::int64_t>(keys.size()),
      {{k[0].data(), k[1].data()}, {v[0].data(), v[1].data()}}, end_bit, begin_bit);
  std::pair<std::vector<Key>, std::vector<Payload>> result{keys, payloads};
  k[sorted].download(result.first);
  v[sorted].download(result.second);
  return result;
}

#define NZ_INSTANTIATE(Key, Payload)                                     \
  template std::pair<std::vector<Key>, std::vector<Payload>> sort_there( \
      const std::vector<Key>&, const std::vector<Payload>&, int, int);
NZ_INSTANTIATE(std::uint32_t, std::uint32_t)
NZ_INSTANTIATE(std::uint64_t, std::uint32_t)
NZ_INSTANTIATE(std::uint64_t, std::uint64_t)

}  // namespace nz::NZ_HOME
