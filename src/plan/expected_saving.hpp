#pragma once
#include <cmath>
#include <numbers>

namespace nz {

// What timing a candidate that is predicted to take `ratio` times as long as the best can be
// expected to save of a product, as a share of what the best takes, where the logarithm of a time
// by its prediction is normally distributed: the mean of max(0, 1 - ratio e^z), z with that
// standard deviation.
inline double expected_saving(double ratio, double deviation) {
  const auto normally_below = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
  const double z = -std::log(ratio) / deviation;
  return normally_below(z) -
         ratio * std::exp(deviation * deviation / 2) * normally_below(z - deviation);
}

}  // namespace nz
