#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <nonzero/formats/csr.hpp>

// Matrices, vectors and scalars at the ends of what a type can hold, drawn so that no sum
// overflows: the check judges every row.
namespace nz::test {

template <class T>
struct Extremes {
  using limits = std::numeric_limits<T>;
  static constexpr int top = limits::max_exponent, bottom = limits::min_exponent - limits::digits;

  // Exponents from low to high; numbers below 1 times 2 to these.
  struct Range {
    int low = 0, high = 0;
    void limit(int most) {
      high = std::min(high, most);
      low = std::min(low, high);
    }
  };
  Range a, x, y;
  int alpha = 0, beta = 0;

  // For a matrix of values below 2^size, at most `longest` of them in a row or column.
  Extremes(std::mt19937_64& random, int size, std::size_t longest) {
    const auto between = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    const auto near = [&](int e) { return Range{e - between(0, 2), e}; };
    const auto bits = static_cast<int>(std::bit_width(longest));
    switch (random() % 7) {
      case 0:  // alpha times x would be as it should, but a large alpha meets small sums
        x = near(-top * 7 / 10);
        alpha = top * 65 / 100;
        break;
      case 1:
        x = near(top * 7 / 10);
        alpha = -top * 3 / 4;
        break;
      case 2:  // alpha times x overflows or vanishes
        a = near(-top * 7 / 10);
        x = near(top * 7 / 10);
        alpha = between(top / 3, top * 6 / 10);
        break;
      case 3:
        a = near(top * 7 / 10);
        x = near(-top * 7 / 10);
        alpha = -between(top / 2, top * 9 / 10);
        break;
      case 4:  // products below the normal range, brought back by alpha
        a = {bottom / 2, bottom / 2 + 5};
        x = {bottom / 2, bottom / 2 + 5};
        alpha = top - 4;
        break;
      case 5:  // sums close to the largest number
        a = {top, top};
        alpha = between(0, 1) ? 0 : -top;
        break;
      default:  // anything
        a = {bottom, top / 2};
        x = {bottom, top / 2};
        alpha = between(bottom, top);
    }
    a.limit(top - 2 - size - bits);
    x.limit(top - 2 - size - bits - a.high);
    x.low = std::max(x.low, bottom);
    alpha = std::clamp(alpha, bottom + 2, top - 2 - std::max(0, size + bits + a.high + x.high));
    const int of_y = between(bottom, top - 3);
    y = {between(0, 1) ? of_y : std::max(bottom, of_y - 30), of_y};
    beta = between(bottom + 2, top - 3 - std::max(0, of_y));
  }

  static T at(Range r, double v, std::mt19937_64& random) {
    return static_cast<T>(std::ldexp(v, std::uniform_int_distribution<int>(r.low, r.high)(random)));
  }
  static T at(int exponent, std::mt19937_64& random) {
    const double v = std::uniform_real_distribution<double>(0.5, 1)(random);
    return static_cast<T>(std::ldexp(random() % 2 ? v : -v, exponent));
  }
};

// For that matrix. Its values are then scaled to `a`: by one power of two or each by its own.
template <class T, class O>
Extremes<T> extremes_for(const Csr<T, O>& m, std::mt19937_64& random) {
  std::vector<std::size_t> of_column(static_cast<std::size_t>(m.cols));
  for (const index_t j : m.columns) ++of_column[static_cast<std::size_t>(j)];
  std::size_t longest = 1;
  for (const std::size_t n : of_column) longest = std::max(longest, n);
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.rows); ++i)
    longest = std::max(longest, static_cast<std::size_t>(m.offsets[i + 1] - m.offsets[i]));
  int size = 0;
  for (const T v : m.values)
    if (std::isfinite(v) && v != T(0)) size = std::max(size, std::ilogb(v) + 1);
  return Extremes<T>(random, size, longest);
}

}  // namespace nz::test
