#pragma once
#include <cstdint>

namespace nz {

// Randomness as a function: a number depends on the seed and on where it is used (row, entry),
// never on what was drawn before. So threads need no order among them, and integer arithmetic
// makes it the same on every machine. The mixing step is the finaliser of SplitMix64 (Steele, Lea
// and Flood 2014).
class Hash {
 public:
  explicit constexpr Hash(std::uint64_t seed) : key_(mix(seed + golden)) {}

  // The generator of a place: a row, a block, an edge.
  template <class I>
  constexpr Hash at(I place) const {
    Hash h = *this;
    h.key_ = mix(key_ ^ mix(static_cast<std::uint64_t>(place) + golden));
    return h;
  }

  // 64 random bits, number k of this generator.
  template <class I>
  constexpr std::uint64_t operator()(I k) const {
    return mix(key_ + (static_cast<std::uint64_t>(k) + 1) * golden);
  }

 private:
  static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::uint64_t key_;
};

__extension__ using uint128 = unsigned __int128;

// A whole number in [0, n); the bias is below n / 2^64.
constexpr std::uint64_t below(std::uint64_t bits, std::uint64_t n) {
  return static_cast<std::uint64_t>((static_cast<uint128>(bits) * n) >> 64);
}

// floor(a * part / whole) for part <= whole, without overflow.
constexpr std::uint64_t scaled(std::uint64_t a, std::uint64_t part, std::uint64_t whole) {
  return static_cast<std::uint64_t>(static_cast<uint128>(a) * part / whole);
}

// A value in (-1, 1), never 0. Every step is exact, so contraction to fused multiply-add changes
// nothing.
constexpr double signed_value(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits >> 11 | 1) - (std::int64_t{1} << 52)) *
         0x1p-52;
}

// Whether an event of the given probability happens. Exact at 0 and 1.
class Chance {
 public:
  explicit constexpr Chance(double probability)
      : limit_(static_cast<std::uint64_t>(probability * 0x1p53)) {}
  constexpr bool operator()(std::uint64_t bits) const { return (bits >> 11) < limit_; }

 private:
  std::uint64_t limit_;
};

// The value of entry (row, column).
constexpr double cell_value(const Hash& hash, std::int64_t row, std::int64_t column) {
  return signed_value(hash.at(row)(column));
}

// The same for (row, column) and (column, row).
constexpr double mirrored_value(const Hash& hash, std::int64_t row, std::int64_t column) {
  return row < column ? cell_value(hash, row, column) : cell_value(hash, column, row);
}

}  // namespace nz
