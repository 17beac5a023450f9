#pragma once
#include <cstdint>
#include <numeric>

// Orders drawn from a seed.
namespace nz::emulated::emulator {

// splitmix64: a good 64-bit hash of a counter, fast enough to be drawn for every warp.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, n), n below 2^32.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
  }

 private:
  std::uint64_t state_;
};

// A permutation of [0, n) without a table: i -> (a i + b) mod n, a and n having no common divisor.
class Order {
 public:
  Order(int n, Random& random) : n_(static_cast<std::uint32_t>(n)), b_(random.below(n_)) {
    do a_ = 1 + random.below(n_);
    while (std::gcd(a_, n_) != 1);
  }
  int operator()(std::int64_t i) const {
    return static_cast<int>((static_cast<std::uint64_t>(i) * a_ + b_) % n_);
  }

 private:
  std::uint32_t n_, b_, a_ = 1;
};

}  // namespace nz::emulated::emulator
