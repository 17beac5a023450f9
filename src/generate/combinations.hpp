#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "generate/settings.hpp"

namespace nz {

// Subsets of up to 40 things as bit patterns, numbered in increasing order of the patterns of one
// size (the combinatorial number system).
inline constexpr int most_things = 40;

class Binomials {
 public:
  constexpr Binomials() {
    for (std::size_t n = 0; n <= most_things; ++n) {
      table_[n][0] = 1;
      for (std::size_t k = 1; k <= n; ++k)
        table_[n][k] = table_[n - 1][k - 1] + (k < n ? table_[n - 1][k] : 0);
    }
  }
  // 0 where k is not in [0, n].
  constexpr std::int64_t operator()(int n, int k) const {
    return k < 0 || n < k ? 0 : table_[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)];
  }

 private:
  std::array<std::array<std::int64_t, most_things + 1>, most_things + 1> table_{};
};
inline constexpr Binomials binomial;

constexpr std::int64_t rank_of_subset(std::uint64_t subset) {
  std::int64_t rank = 0;
  for (int k = 1; subset != 0; subset &= subset - 1, ++k)
    rank += binomial(std::countr_zero(subset), k);
  return rank;
}

// The subset of `size` of the first n things with this number.
constexpr std::uint64_t subset_of_rank(int n, int size, std::int64_t rank) {
  std::uint64_t subset = 0;
  for (int k = size; k > 0; --k) {
    do {
      --n;
    } while (binomial(n, k) > rank);
    rank -= binomial(n, k);
    subset |= std::uint64_t{1} << n;
  }
  return subset;
}

// The next larger pattern with as many bits; `subset` is not 0.
constexpr std::uint64_t next_subset(std::uint64_t subset) {
  const std::uint64_t lowest = subset & (~subset + 1), ripple = subset + lowest;
  return ripple | (subset ^ ripple) / lowest >> 2;
}

// Throws InvalidArgument when a count passes what index_t counts.
inline index_t counted(std::string_view what, std::int64_t count) {
  if (static_cast<double>(count) > max_index)
    throw InvalidArgument(fmt::format("{} {} are above {:.0f}", count, what, max_index));
  return static_cast<index_t>(count);
}

}  // namespace nz
