#pragma once
#include <cstdint>

#include "generate/hash.hpp"

namespace nz {

// A keyed permutation of [0, n): a Feistel network over the smallest power of two that covers n,
// walked until it lands inside (Black and Rogaway 2002). It stands in for shuffling n things
// without storing them.
class Permutation {
 public:
  Permutation(std::uint64_t n, const Hash& hash) : n_(n), hash_(hash) {
    int bits = 0;
    while (bits < 63 && (std::uint64_t{1} << bits) < n) ++bits;
    low_bits_ = bits / 2;
    low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
    high_mask_ = (std::uint64_t{1} << (bits - low_bits_)) - 1;
  }

  std::uint64_t operator()(std::uint64_t x) const {
    do {
      x = once(x);
    } while (x >= n_);
    return x;
  }

 private:
  std::uint64_t once(std::uint64_t x) const {
    std::uint64_t low = x & low_mask_, high = x >> low_bits_;
    for (std::uint64_t round = 0; round < 3; ++round) {
      high ^= hash_(low * 8 + 2 * round) & high_mask_;
      low ^= hash_(high * 8 + 2 * round + 1) & low_mask_;
    }
    return high << low_bits_ | low;
  }

  std::uint64_t n_, low_mask_ = 0, high_mask_ = 0;
  int low_bits_ = 0;
  Hash hash_;
};

}  // namespace nz
