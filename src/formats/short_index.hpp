#pragma once
#include <cstdint>
#include <cstring>

#include <nonzero/types.hpp>

// Distances from a base column, in as many bytes as the largest asks for.
namespace nz {

constexpr std::uint8_t index_width(index_t largest) {
  return largest < 256 ? 1 : largest < 65536 ? 2 : 4;
}

inline void put_index(std::uint8_t* to, int width, std::uint32_t distance) {
  const auto one = static_cast<std::uint8_t>(distance);
  const auto two = static_cast<std::uint16_t>(distance);
  if (width == 1)
    *to = one;
  else if (width == 2)
    std::memcpy(to, &two, sizeof two);
  else
    std::memcpy(to, &distance, sizeof distance);
}

inline std::uint32_t get_index(const std::uint8_t* from, int width) {
  std::uint16_t two;
  std::uint32_t four;
  if (width == 1) return *from;
  if (width == 2) return std::memcpy(&two, from, sizeof two), two;
  return std::memcpy(&four, from, sizeof four), four;
}

}  // namespace nz
