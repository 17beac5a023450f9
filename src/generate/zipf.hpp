#pragma once
#include <bit>
#include <cstdint>

#include "generate/hash.hpp"

namespace nz {

// A number of [0, n), n > 0, about as likely as 1 / (number + 1): an octave at random, and any
// number in it. In whole numbers only.
inline std::int64_t zipf(const Hash& draw, std::int64_t k, std::int64_t n) {
  const auto limit = static_cast<std::uint64_t>(n);
  const std::uint64_t octave =
      below(draw(2 * k), static_cast<std::uint64_t>(std::bit_width(limit)));
  const std::uint64_t first = std::uint64_t{1} << octave;  // counted from 1
  const std::uint64_t number = first - 1 + below(draw(2 * k + 1), first);
  return static_cast<std::int64_t>(number < limit ? number : number - limit);
}

}  // namespace nz
