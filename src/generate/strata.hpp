#pragma once
#include <cstdint>

#include "generate/hash.hpp"

namespace nz {

// `count` distinct numbers of [0, universe), increasing: one at random from each of `count` equal
// slices. Spread more evenly than independent draws, and each is found without the others.
class Strata {
 public:
  Strata(std::int64_t universe, std::int64_t count, const Hash& hash)
      : universe_(static_cast<std::uint64_t>(universe)),
        count_(static_cast<std::uint64_t>(count)),
        hash_(hash) {}

  std::int64_t operator[](std::int64_t t) const {
    const std::uint64_t first = cut(static_cast<std::uint64_t>(t));
    const std::uint64_t end = cut(static_cast<std::uint64_t>(t) + 1);
    return static_cast<std::int64_t>(first + below(hash_(t), end - first));
  }

 private:
  // Both factors are below 2^32.
  std::uint64_t cut(std::uint64_t t) const { return t * universe_ / count_; }

  std::uint64_t universe_, count_;
  Hash hash_;
};

}  // namespace nz
