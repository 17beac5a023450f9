#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace nz {

// The low 16 bits of n, a zero between any two of them.
constexpr std::uint32_t spread_bits(std::uint32_t n) {
  n &= 0xffff;
  n = (n | n << 8) & 0x00ff00ff;
  n = (n | n << 4) & 0x0f0f0f0f;
  n = (n | n << 2) & 0x33333333;
  return (n | n << 1) & 0x55555555;
}

// And back.
constexpr std::uint32_t gather_bits(std::uint32_t n) {
  n &= 0x55555555;
  n = (n | n >> 1) & 0x33333333;
  n = (n | n >> 2) & 0x0f0f0f0f;
  n = (n | n >> 4) & 0x00ff00ff;
  return (n | n >> 8) & 0xffff;
}

// Morton's order of places row << 16 | column, rows counting for more.
constexpr std::uint32_t morton_of_place(std::uint32_t place) {
  return spread_bits(place >> 16) << 1 | spread_bits(place);
}
constexpr std::uint32_t place_of_morton(std::uint32_t morton) {
  return gather_bits(morton >> 1) << 16 | gather_bits(morton);
}

// Sorts by the low `bits` bits of the member `key`, 8 at a time; keys differ. Returns where the
// sorted elements are: `from` or `scratch`, both of n elements.
template <class E>
E* sort_by_key(E* from, E* scratch, std::size_t n, int bits) {
  constexpr std::size_t few = 64;
  if (n <= few) {
    std::sort(from, from + n, [](const E& a, const E& b) { return a.key < b.key; });
    return from;
  }
  for (int shift = 0; shift < bits; shift += 8) {
    std::size_t next[256] = {};
    for (std::size_t k = 0; k < n; ++k) ++next[from[k].key >> shift & 0xff];
    std::size_t sum = 0;
    for (std::size_t& start : next) sum += std::exchange(start, sum);
    for (std::size_t k = 0; k < n; ++k) scratch[next[from[k].key >> shift & 0xff]++] = from[k];
    std::swap(from, scratch);
  }
  return from;
}

}  // namespace nz
